package dev.sash.server.metrics;

import java.util.Locale;

/** How a request to the server was answered. */
public enum Outcome {
  /** It is admitted. */
  ALLOWED,
  /** It is not. */
  DENIED,
  /** It asked for something else than a decision, and got it. */
  DONE,
  /** It could not be understood, or may not be asked. */
  INVALID,
  /** It should have been answered, and could not be. */
  FAILED;

  /**
   * How meters write it.
   *
   * @return for example {@code allowed}
   */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
