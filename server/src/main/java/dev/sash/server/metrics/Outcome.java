package dev.sash.server.metrics;

import java.util.Locale;

/** How a request to the server was answered. */
public enum Outcome {
  /** It is admitted. */
  ALLOWED,
  /** It is not. */
  DENIED,
  /** It was for something other than a decision, and succeeded. */
  DONE,
  /** It was malformed or not permitted. */
  INVALID,
  /** It was valid, but could not be answered. */
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
