package dev.sash.server.rls;

import org.jspecify.annotations.Nullable;

/** The field {@code grpc-timeout}: one to eight digits and a unit. */
final class GrpcTimeout {
  /** No timeout, or one that no call lives to see. */
  static final long NONE = Long.MAX_VALUE;

  private static final long LONGEST_MILLIS = 24 * 60 * 60 * 1_000L;
  private static final int MAX_DIGITS = 8;

  private GrpcTimeout() {}

  /**
   * The milliseconds that a field allows, rounded up.
   *
   * @throws GrpcException if it cannot be read
   */
  static long millis(@Nullable String field) {
    if (field == null) {
      return NONE;
    }
    int digits = field.length() - 1;
    if (digits < 1 || digits > MAX_DIGITS || !isNumber(field, digits)) {
      throw malformed();
    }
    long value = Long.parseLong(field, 0, digits, 10);
    long millis =
        switch (field.charAt(digits)) {
          case 'H' -> value * 3_600_000;
          case 'M' -> value * 60_000;
          case 'S' -> value * 1_000;
          case 'm' -> value;
          case 'u' -> (value + 999) / 1_000;
          case 'n' -> (value + 999_999) / 1_000_000;
          default -> throw malformed();
        };
    return millis > LONGEST_MILLIS ? NONE : millis;
  }

  private static boolean isNumber(String field, int digits) {
    return field.chars().limit(digits).allMatch(c -> c >= '0' && c <= '9');
  }

  private static GrpcException malformed() {
    return GrpcException.invalid("grpc-timeout must be 1 to 8 digits and one of H M S m u n");
  }
}
