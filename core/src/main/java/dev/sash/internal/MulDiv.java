package dev.sash.internal;

import java.math.BigInteger;

/** a × b ÷ c, exact however large the product is. */
public final class MulDiv {
  /** Stands for every quotient that is as large or larger: as microseconds, 146 thousand years. */
  public static final long TOO_LARGE = 1L << 62;

  private MulDiv() {}

  /**
   * The quotient rounded down.
   *
   * @param a 0 or more
   * @param b 0 or more
   * @param c 1 or more
   * @return ⌊a × b ÷ c⌋, at most {@link #TOO_LARGE}
   */
  public static long floor(long a, long b, long c) {
    long low = a * b;
    if (Math.multiplyHigh(a, b) == 0 && low >= 0) {
      return Math.min(low / c, TOO_LARGE);
    }
    return BigInteger.valueOf(a)
        .multiply(BigInteger.valueOf(b))
        .divide(BigInteger.valueOf(c))
        .min(BigInteger.valueOf(TOO_LARGE))
        .longValueExact();
  }

  /**
   * The quotient rounded up.
   *
   * @param a 0 or more
   * @param b 0 or more
   * @param c 1 or more; the quotient must be less than {@link #TOO_LARGE}
   * @return ⌈a × b ÷ c⌉
   */
  public static long ceil(long a, long b, long c) {
    long floor = floor(a, b, c);
    return floor + (floorRemainder(a, b, c, floor) == 0 ? 0 : 1);
  }

  /**
   * What {@link #floor} left over, if the quotient was not too large.
   *
   * @param a as given to {@code floor}
   * @param b as given to {@code floor}
   * @param c as given to {@code floor}
   * @param floor what {@code floor} returned
   * @return a × b − floor × c, from 0 to c − 1
   */
  public static long floorRemainder(long a, long b, long c, long floor) {
    return a * b - floor * c; // both may overflow, by the same amount: the difference is small
  }
}
