package dev.sash.server.override;

import java.time.DateTimeException;
import java.time.Instant;

/** Times as texts. */
public final class Instants {
  private static final Instant LEAST = Instant.EPOCH;
  private static final Instant MOST = Instant.parse("9999-01-01T00:00:00Z");

  private Instants() {}

  /**
   * Returns a time.
   *
   * @param text such as {@code 2027-01-31T12:00:00Z}, between 1970 and 9998
   * @return the time
   * @throws IllegalArgumentException if the text is anything else
   */
  public static Instant parse(String text) {
    try {
      Instant time = Instant.parse(text);
      if (!time.isBefore(LEAST) && time.isBefore(MOST)) {
        return time;
      }
    } catch (DateTimeException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "time must be such as 2027-01-31T12:00:00Z, between 1970 and 9998, was '"
            + TextRule.quotable(text)
            + "'");
  }
}
