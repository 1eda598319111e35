package dev.sash;

import dev.sash.internal.Bounds;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Reads and writes the shorthand of {@link Limit#parse} and its window, one pass from left to
 * right.
 */
final class LimitParser {
  private static final String UNIT_NAMES = "us, ms, s, m, h, d, w";
  private static final Map<String, Long> MICROS_OF_UNIT =
      Map.ofEntries(
          Map.entry("us", 1L),
          Map.entry("ms", 1_000L),
          Map.entry("s", 1_000_000L),
          Map.entry("sec", 1_000_000L),
          Map.entry("second", 1_000_000L),
          Map.entry("seconds", 1_000_000L),
          Map.entry("m", 60_000_000L),
          Map.entry("min", 60_000_000L),
          Map.entry("minute", 60_000_000L),
          Map.entry("minutes", 60_000_000L),
          Map.entry("h", 3_600_000_000L),
          Map.entry("hour", 3_600_000_000L),
          Map.entry("hours", 3_600_000_000L),
          Map.entry("d", 86_400_000_000L),
          Map.entry("day", 86_400_000_000L),
          Map.entry("days", 86_400_000_000L),
          Map.entry("w", 604_800_000_000L),
          Map.entry("week", 604_800_000_000L),
          Map.entry("weeks", 604_800_000_000L));
  private static final String[] UNITS_TO_WRITE = {"d", "h", "m", "s", "ms", "us"};

  private final String what;
  private final String text;
  private int at;

  private LimitParser(String what, String text) {
    this.what = what;
    this.text = Objects.requireNonNull(text, () -> what + " must not be null");
  }

  static Limit parse(String text) {
    return new LimitParser("limit", text).limit();
  }

  static long parseWindow(String text) {
    LimitParser parser = new LimitParser("window", text);
    parser.skipSpaces();
    long micros = parser.window();
    if (!parser.atEnd()) {
      throw parser.unexpected(parser.at, "the end");
    }
    if (micros < Bounds.MIN_WINDOW_MICROS) {
      throw parser.unexpected(0, "a window between 1 ms and 366 days");
    }
    return micros;
  }

  private Limit limit() {
    skipSpaces();
    long permits = number("a number of permits");
    separator();
    long windowMicros = window();
    Algorithm algorithm = algorithm();
    long cells = 0;
    long capacity = permits;
    while (!atEnd()) {
      int start = at;
      String option = word();
      if (option.equals("cells") && take('=')) {
        cells = number("a number of cells");
      } else if (option.equals("capacity") && take('=')) {
        capacity = number("a number of permits");
      } else {
        throw unexpected(start, "cells=<number>, capacity=<number> or the end");
      }
    }
    try {
      return new Limit(algorithm, permits, windowMicros, Math.toIntExact(cells), capacity);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException(what + " '" + text + "': " + e.getMessage(), e);
    }
  }

  static String writeWindow(long micros) {
    for (String unit : UNITS_TO_WRITE) {
      long unitMicros = Objects.requireNonNull(MICROS_OF_UNIT.get(unit));
      if (micros % unitMicros == 0) {
        return micros / unitMicros + unit;
      }
    }
    throw new AssertionError(micros);
  }

  private void separator() {
    int start = at;
    if (!take('/') && !word().equals("per")) {
      throw unexpected(start, "'/' or 'per'");
    }
    skipSpaces();
  }

  private long window() {
    int start = at;
    long count = !atEnd() && isDigit(text.charAt(at)) ? number("a number") : 1;
    int unitAt = at;
    Long unitMicros = MICROS_OF_UNIT.get(word());
    if (unitMicros == null) {
      throw unexpected(unitAt, "a unit of time (" + UNIT_NAMES + ")");
    }
    if (count > Bounds.MAX_WINDOW_MICROS / unitMicros) {
      throw unexpected(start, "a window between 1 ms and 366 days");
    }
    return count * unitMicros;
  }

  private Algorithm algorithm() {
    int start = at;
    String name = word();
    if (name.isEmpty() || name.equals("cells") || name.equals("capacity")) {
      at = start;
      return Algorithm.SLIDING_LOG;
    }
    for (Algorithm algorithm : Algorithm.values()) {
      if (algorithm.id().equals(name)) {
        return algorithm;
      }
    }
    throw unexpected(start, "an algorithm (" + Algorithm.ids() + ")");
  }

  private long number(String what) {
    int start = at;
    long value = 0;
    while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '_')) {
      if (text.charAt(at) != '_') {
        value = value * 10 + (text.charAt(at) - '0');
      }
      at++;
      if (value > Bounds.MAX_WINDOW_MICROS) {
        throw unexpected(start, what + " that is not so large");
      }
    }
    if (start == at || text.charAt(start) == '_' || text.charAt(at - 1) == '_') {
      throw unexpected(start, what);
    }
    skipSpaces();
    return value;
  }

  private String word() {
    int start = at;
    while (at < text.length() && isWordChar(text.charAt(at))) {
      at++;
    }
    String word = text.substring(start, at).toLowerCase(Locale.ROOT);
    skipSpaces();
    return word;
  }

  private boolean take(char c) {
    if (atEnd() || text.charAt(at) != c) {
      return false;
    }
    at++;
    skipSpaces();
    return true;
  }

  private void skipSpaces() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }

  private boolean atEnd() {
    return at == text.length();
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  }

  private IllegalArgumentException unexpected(int column, String expected) {
    String rest = text.substring(column).strip();
    int end = rest.indexOf(' ');
    String found =
        rest.isEmpty() ? "the end" : "'" + (end < 0 ? rest : rest.substring(0, end)) + "'";
    return new IllegalArgumentException(
        what
            + " '"
            + text
            + "': expected "
            + expected
            + " at column "
            + (column + 1)
            + ", found "
            + found);
  }
}
