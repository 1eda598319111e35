package dev.sash.internal;

import java.time.Duration;
import java.util.Objects;

/** The bounds of the decision contract, checked the same way, in the same words, by every store. */
public final class Bounds {
  /** The most permits in a limit or a request. */
  public static final long MAX_PERMITS = 1_000_000_000L;

  /** The shortest window: 1 ms. */
  public static final long MIN_WINDOW_MICROS = 1_000L;

  /** The longest window: 366 days. */
  public static final long MAX_WINDOW_MICROS = Duration.ofDays(366).toSeconds() * 1_000_000L;

  /** The longest key, in bytes of UTF-8. */
  public static final int MAX_KEY_BYTES = 1024;

  /** A key this short fits whatever its characters: none takes more than 3 bytes a char. */
  private static final int ALWAYS_FITS = MAX_KEY_BYTES / 3;

  private Bounds() {}

  /**
   * Checks a key.
   *
   * @param key 1 to {@value #MAX_KEY_BYTES} bytes of UTF-8
   */
  public static void checkKey(String key) {
    int length = Objects.requireNonNull(key, "key must not be null").length();
    if (length == 0 || isTooLong(key)) {
      throw new IllegalArgumentException(
          "key must be between 1 and "
              + MAX_KEY_BYTES
              + " bytes of UTF-8, was "
              + utf8Bytes(key)
              + " bytes");
    }
  }

  /**
   * Whether a key has more than {@value #MAX_KEY_BYTES} bytes of UTF-8. Half of a surrogate pair,
   * which cannot be encoded, counts as 3 bytes.
   *
   * @param key the key
   * @return true if no store takes it
   */
  public static boolean isTooLong(String key) {
    return key.length() > ALWAYS_FITS && utf8Bytes(key) > MAX_KEY_BYTES;
  }

  /**
   * Checks the permits of a request.
   *
   * @param permits 0 to {@link #MAX_PERMITS}
   */
  public static void checkPermits(long permits) {
    if (permits < 0 || permits > MAX_PERMITS) {
      throw outside("permits", 0, MAX_PERMITS, permits);
    }
  }

  /**
   * Checks that a number lies in a range.
   *
   * @param name what the number is, for the message
   * @param least the least it may be
   * @param most the most it may be
   * @param value the number
   */
  public static void check(String name, long least, long most, long value) {
    if (value < least || value > most) {
      throw outside(name, least, most, value);
    }
  }

  /**
   * Checks that a duration is more than zero and not too long.
   *
   * @param name what the duration is, for the message
   * @param most the longest it may be
   * @param value the duration
   */
  public static void checkDuration(String name, Duration most, Duration value) {
    Objects.requireNonNull(value, () -> name + " must not be null");
    if (value.isNegative() || value.isZero() || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + " must be more than 0 and at most " + most + ", was " + value);
    }
  }

  private static IllegalArgumentException outside(String name, long least, long most, long value) {
    return new IllegalArgumentException(
        name + " must be between " + least + " and " + most + ", was " + value);
  }

  /**
   * A duration in microseconds, rounded up; a longer one than a long holds becomes {@link
   * Long#MAX_VALUE}.
   *
   * @param duration not negative
   * @return the microseconds
   */
  public static long microsCeil(Duration duration) {
    long seconds = duration.getSeconds();
    if (seconds >= Long.MAX_VALUE / 1_000_000L) {
      return Long.MAX_VALUE;
    }
    return seconds * 1_000_000L + (duration.getNano() + 999) / 1_000;
  }

  private static long utf8Bytes(String key) {
    long bytes = 0;
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c < 0x80) {
        bytes += 1;
      } else if (c < 0x800 || isHalfOfPair(key, i)) {
        bytes += 2; // a surrogate pair is one code point of 4 bytes
      } else {
        bytes += 3;
      }
    }
    return bytes;
  }

  private static boolean isHalfOfPair(String key, int i) {
    char c = key.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 < key.length() && Character.isLowSurrogate(key.charAt(i + 1))
        : Character.isLowSurrogate(c) && i > 0 && Character.isHighSurrogate(key.charAt(i - 1));
  }
}
