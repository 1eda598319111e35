package dev.sash.cli;

import java.util.Locale;

/** Writes times for people. */
final class Times {
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Times() {}

  /**
   * Returns a time in its two largest units, rounded up: {@code 58.5 s} or {@code 3 h 20 min}.
   *
   * @param millis 0 or more
   */
  static String text(long millis) {
    if (millis < SECOND) {
      return millis + " ms";
    }
    if (millis <= MINUTE - 100) {
      return String.format(Locale.ROOT, "%.1f s", ceil(millis, 100) / 10.0);
    }
    if (millis <= HOUR - SECOND) {
      return two(ceil(millis, SECOND), 60, "min", "s");
    }
    if (millis <= DAY - MINUTE) {
      return two(ceil(millis, MINUTE), 60, "h", "min");
    }
    return two(ceil(millis, HOUR), 24, "d", "h");
  }

  private static long ceil(long millis, long unit) {
    return (millis + unit - 1) / unit;
  }

  private static String two(long small, int perLarge, String large, String unit) {
    long rest = small % perLarge;
    return small / perLarge + " " + large + (rest == 0 ? "" : " " + rest + " " + unit);
  }
}
