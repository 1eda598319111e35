package dev.sash.config;

import dev.sash.config.internal.ProblemSink;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong with one file. */
final class Problems implements ProblemSink {
  /** Nobody reads more, and a file can be made of nothing but mistakes. */
  static final int MOST = 100;

  private static final int LONGEST_MESSAGE = 600;

  private final String file;

  /** A set: what an alias repeats is wrong once. */
  private final Set<Problem> found = new LinkedHashSet<>();

  Problems(String file) {
    this.file = file;
  }

  @Override
  public void add(String message) {
    found.add(Problem.ofWholeFile(file, inOneLine(message)));
  }

  @Override
  public void add(int line, int column, String message) {
    if (found.size() < MOST) {
      found.add(new Problem(file, line, column, inOneLine(message)));
    }
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** From the top of the file. */
  List<Problem> sorted() {
    return found.stream()
        .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
        .toList();
  }

  @Override
  public String placeOf(int line, int column) {
    return file + ":" + line + ":" + column;
  }

  /** Whatever stood in the file: no message breaks the line, or plays tricks on a terminal. */
  private static String inOneLine(String message) {
    StringBuilder line = new StringBuilder();
    message
        .codePoints()
        .limit(LONGEST_MESSAGE)
        .forEach(
            c -> {
              switch (Character.getType(c)) {
                case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    line.append(String.format("\\u%04x", c));
                default -> line.appendCodePoint(c);
              }
            });
    return line.toString();
  }
}
