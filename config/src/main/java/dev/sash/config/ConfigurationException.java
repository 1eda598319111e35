package dev.sash.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown for files that cannot be used. Its message has a line for each {@linkplain Problem
 * problem}.
 */
public final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // A List is not Serializable by its type; what List.copyOf makes is.
  @SuppressWarnings("serial")
  private final List<Problem> problems;

  ConfigurationException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /**
   * Everything that is wrong, file by file and from the top.
   *
   * @return at least one; unmodifiable
   */
  public List<Problem> problems() {
    return problems;
  }
}
