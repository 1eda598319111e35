package dev.sash;

import static dev.sash.internal.Bounds.MAX_PERMITS;
import static dev.sash.internal.Bounds.MAX_WINDOW_MICROS;
import static dev.sash.internal.Bounds.MIN_WINDOW_MICROS;

import dev.sash.internal.Bounds;
import java.time.Duration;
import java.util.Objects;

/**
 * So many permits per window, and how they are counted. Immutable.
 *
 * <pre>{@code
 * Limit.slidingLog(100, Duration.ofMinutes(1))                     // exact
 * Limit.slidingLog(1_000_000, Duration.ofDays(1)).withCells(288)   // never over, constant memory
 * Limit.tokenBucket(50, Duration.ofSeconds(1)).withCapacity(200)   // bursts of 200
 * Limit.parse("1000 per 1h sliding-counter")
 * }</pre>
 *
 * <p>The factories are short forms of the constructor.
 *
 * @param algorithm how permits are counted
 * @param permits the permits per window, 1 to 10⁹; for a token bucket what flows back per window
 * @param windowMicros the window's length in microseconds, 1 ms to 366 days
 * @param cells for the sliding log, into how many cells the window is divided, 1 to 10⁶ and at most
 *     one per microsecond: charges are rounded up to the end of their cell, so that at most {@code
 *     cells + 1} records are kept and the limit is still never exceeded; 0 keeps every admission
 *     and is exact. 0 for the other algorithms
 * @param capacity the most permits that can be spent at once, 1 to 10⁹; the same as {@code permits}
 *     except for token buckets, where it may differ either way
 */
public record Limit(
    Algorithm algorithm, long permits, long windowMicros, int cells, long capacity) {

  private static final int MAX_CELLS = 1_000_000;

  /**
   * Checks every component.
   *
   * @throws IllegalArgumentException naming the component, its bounds and the value
   */
  public Limit {
    Objects.requireNonNull(algorithm, "algorithm must not be null");
    Bounds.check("permits", 1, MAX_PERMITS, permits);
    Bounds.check("window in microseconds", MIN_WINDOW_MICROS, MAX_WINDOW_MICROS, windowMicros);
    Bounds.check("capacity", 1, MAX_PERMITS, capacity);
    if (algorithm == Algorithm.SLIDING_LOG) {
      Bounds.check("cells", 0, Math.min(MAX_CELLS, windowMicros), cells);
    } else if (cells != 0) {
      throw new IllegalArgumentException(
          "cells must be 0 for " + algorithm + " (only sliding-log has cells), was " + cells);
    }
    if (algorithm != Algorithm.TOKEN_BUCKET && capacity != permits) {
      throw new IllegalArgumentException(
          "capacity must equal permits ("
              + permits
              + ") for "
              + algorithm
              + " (only token-bucket has a capacity of its own), was "
              + capacity);
    }
  }

  /**
   * An exact sliding log: at most {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit slidingLog(long permits, Duration window) {
    return new Limit(Algorithm.SLIDING_LOG, permits, micros(window), 0, permits);
  }

  /**
   * A sliding counter: two counts per key, at most 2 × {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit slidingCounter(long permits, Duration window) {
    return new Limit(Algorithm.SLIDING_COUNTER, permits, micros(window), 0, permits);
  }

  /**
   * A fixed window: one count per key, at most 2 × {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit fixedWindow(long permits, Duration window) {
    return new Limit(Algorithm.FIXED_WINDOW, permits, micros(window), 0, permits);
  }

  /**
   * A token bucket that refills with {@code permits} per window, evenly, and holds as many.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit tokenBucket(long permits, Duration window) {
    return new Limit(Algorithm.TOKEN_BUCKET, permits, micros(window), 0, permits);
  }

  /**
   * Reads the shorthand {@code permits/window [algorithm] [cells=n] [capacity=n]}, for example
   * {@code 100/1m}, {@code 5/s}, {@code 1000 per 1h sliding-counter}, {@code 1_000_000/d
   * sliding-log cells=288} or {@code 50/s token-bucket capacity=200}. The window is a whole number
   * (1 if left out) and a unit: {@code us}, {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}
   * or {@code w}, or its English name. The algorithm is {@code sliding-log} if left out. {@link
   * #toString} writes this form.
   *
   * @param text the shorthand
   * @return the limit
   * @throws IllegalArgumentException if it cannot be read; the message quotes the text and names
   *     the column, what was found there and what is allowed
   */
  public static Limit parse(String text) {
    return LimitParser.parse(text);
  }

  /**
   * Reads a window alone, as the shorthand of {@link #parse} has it: {@code 1m}, {@code 250 ms} or
   * {@code day}.
   *
   * @param text a whole number (1 if left out) and a unit
   * @return 1 ms to 366 days
   * @throws IllegalArgumentException if it cannot be read; the message is like that of {@link
   *     #parse}
   */
  public static Duration parseWindow(String text) {
    return ofMicros(LimitParser.parseWindow(text));
  }

  /**
   * The same sliding log with its window divided into cells.
   *
   * @param cells 1 to 10⁶, at most one per microsecond of the window; 0 is exact
   * @return the limit
   */
  public Limit withCells(int cells) {
    return new Limit(algorithm, permits, windowMicros, cells, capacity);
  }

  /**
   * The same token bucket with room for another number of permits.
   *
   * @param capacity 1 to 10⁹
   * @return the limit
   */
  public Limit withCapacity(long capacity) {
    return new Limit(algorithm, permits, windowMicros, cells, capacity);
  }

  /**
   * The window's length.
   *
   * @return {@link #windowMicros} as a duration
   */
  public Duration window() {
    return ofMicros(windowMicros);
  }

  /**
   * Whether state kept for one of the two limits can be read under the other: algorithm, window and
   * cells are equal, and only the numbers of permits differ.
   *
   * @param other the other limit
   * @return true if the state carries over
   */
  public boolean sharesStateWith(Limit other) {
    return algorithm == other.algorithm
        && windowMicros == other.windowMicros
        && cells == other.cells;
  }

  /** The shorthand, as {@link #parse} reads it. */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder()
            .append(permits)
            .append('/')
            .append(LimitParser.writeWindow(windowMicros))
            .append(' ')
            .append(algorithm.id());
    if (cells != 0) {
      text.append(" cells=").append(cells);
    }
    if (capacity != permits) {
      text.append(" capacity=").append(capacity);
    }
    return text.toString();
  }

  private static Duration ofMicros(long micros) {
    return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }

  private static long micros(Duration window) {
    Objects.requireNonNull(window, "window must not be null");
    if (window.isNegative() || window.toNanosPart() % 1_000 != 0) {
      throw new IllegalArgumentException(
          "window must be between 1 ms and 366 days, in whole microseconds, was " + window);
    }
    return Bounds.microsCeil(window);
  }
}
