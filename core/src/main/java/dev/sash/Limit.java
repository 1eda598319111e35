package dev.sash;

import static dev.sash.internal.Bounds.MAX_PERMITS;
import static dev.sash.internal.Bounds.MAX_WINDOW_MICROS;
import static dev.sash.internal.Bounds.MIN_WINDOW_MICROS;

import dev.sash.internal.Bounds;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A number of permits per time window, and the algorithm that counts them. Immutable.
 *
 * <pre>{@code
 * Limit.slidingLog(100, Duration.ofMinutes(1))                     // exact
 * Limit.slidingLog(1_000_000, Duration.ofDays(1)).withCells(288)   // never over, constant memory
 * Limit.tokenBucket(50, Duration.ofSeconds(1)).withCapacity(200)   // bursts of 200
 * Limit.parse("1000 per 1h sliding-counter")
 * }</pre>
 *
 * <p>{@link #of} is the general form; the other factories are short forms of it.
 */
public final class Limit {
  private static final int MAX_CELLS = 1_000_000;

  private final Algorithm algorithm;
  private final long permits;
  private final long windowMicros;
  private final int cells;
  private final long cellMicros;
  private final long capacity;

  Limit(Algorithm algorithm, long permits, long windowMicros, int cells, long capacity) {
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
    this.algorithm = algorithm;
    this.permits = permits;
    this.windowMicros = windowMicros;
    this.cells = cells;
    this.cellMicros = cells == 0 ? 1 : (windowMicros + cells - 1) / cells;
    this.capacity = capacity;
  }

  /**
   * Returns a limit that counts by the given algorithm: a sliding log without cells, or a token
   * bucket that holds as many permits as flow back per window.
   *
   * @param algorithm how permits are counted
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit of(Algorithm algorithm, long permits, Duration window) {
    return new Limit(algorithm, permits, micros(window), 0, permits);
  }

  /**
   * Returns an exact sliding log: at most {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit slidingLog(long permits, Duration window) {
    return of(Algorithm.SLIDING_LOG, permits, window);
  }

  /**
   * Returns a sliding counter: two counts per key, at most 2 × {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit slidingCounter(long permits, Duration window) {
    return of(Algorithm.SLIDING_COUNTER, permits, window);
  }

  /**
   * Returns a fixed window: one count per key, at most 2 × {@code permits} in any window.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit fixedWindow(long permits, Duration window) {
    return of(Algorithm.FIXED_WINDOW, permits, window);
  }

  /**
   * Returns a token bucket that refills with {@code permits} per window, evenly, and holds as many.
   *
   * @param permits 1 to 10⁹
   * @param window 1 ms to 366 days, in whole microseconds
   * @return the limit
   */
  public static Limit tokenBucket(long permits, Duration window) {
    return of(Algorithm.TOKEN_BUCKET, permits, window);
  }

  /**
   * Parses the shorthand {@code permits/window [algorithm] [cells=n] [capacity=n]}, for example
   * {@code 100/1m}, {@code 5/s}, {@code 1000 per 1h sliding-counter}, {@code 1_000_000/d
   * sliding-log cells=288} or {@code 50/s token-bucket capacity=200}. The window is a whole number
   * (1 if left out) and a unit: {@code us}, {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}
   * or {@code w}, or its English name. The algorithm is {@code sliding-log} if left out. {@link
   * #toString} writes this form.
   *
   * @param text the shorthand
   * @return the limit
   * @throws IllegalArgumentException if it cannot be parsed; the message quotes the text and names
   *     the column, what was found there and what is allowed
   */
  public static Limit parse(String text) {
    return LimitParser.parse(text);
  }

  /**
   * Parses a window alone, as the shorthand of {@link #parse} has it: {@code 1m}, {@code 250 ms} or
   * {@code day}.
   *
   * @param text a whole number (1 if left out) and a unit
   * @return 1 ms to 366 days
   * @throws IllegalArgumentException if it cannot be parsed; the message is like that of {@link
   *     #parse}
   */
  public static Duration parseWindow(String text) {
    return ofMicros(LimitParser.parseWindow(text));
  }

  /**
   * Returns this sliding log with its window divided into cells: charges are rounded up to the end
   * of their cell, so that at most {@code cells + 1} records are kept and the limit is still never
   * exceeded.
   *
   * @param cells 1 to 10⁶, at most one per microsecond of the window; 0 is exact
   * @return the limit
   */
  public Limit withCells(int cells) {
    return new Limit(algorithm, permits, windowMicros, cells, capacity);
  }

  /**
   * Returns this token bucket with another capacity.
   *
   * @param capacity 1 to 10⁹
   * @return the limit
   */
  public Limit withCapacity(long capacity) {
    return new Limit(algorithm, permits, windowMicros, cells, capacity);
  }

  /**
   * Returns this limit with another number of permits, which shares its state. A token bucket keeps
   * its capacity; of other algorithms the capacity follows.
   *
   * @param permits 1 to 10⁹
   * @return the limit
   */
  public Limit withPermits(long permits) {
    return new Limit(
        algorithm,
        permits,
        windowMicros,
        cells,
        algorithm == Algorithm.TOKEN_BUCKET ? capacity : permits);
  }

  /**
   * Returns the algorithm that counts permits.
   *
   * @return the algorithm
   */
  public Algorithm algorithm() {
    return algorithm;
  }

  /**
   * Returns the permits per window; for a token bucket, the permits that flow back per window.
   *
   * @return 1 to 10⁹
   */
  public long permits() {
    return permits;
  }

  /**
   * Returns the length of the window in microseconds.
   *
   * @return 1 ms to 366 days
   */
  public long windowMicros() {
    return windowMicros;
  }

  /**
   * Returns the number of cells into which the window of a sliding log is divided.
   *
   * @return 1 to 10⁶; 0 for an exact log and for the other algorithms
   */
  public int cells() {
    return cells;
  }

  /**
   * Returns the length of a cell in microseconds: the window divided by {@link #cells}, rounded up.
   * A charge counts until the end of its cell leaves the window.
   *
   * @return 1 or more; 1 if the window is not divided into cells
   */
  public long cellMicros() {
    return cellMicros;
  }

  /**
   * Returns the most permits that can be spent at once: {@link #permits}, except for token buckets,
   * where it may differ either way.
   *
   * @return 1 to 10⁹
   */
  public long capacity() {
    return capacity;
  }

  /**
   * Returns the length of the window.
   *
   * @return {@link #windowMicros} as a duration
   */
  public Duration window() {
    return ofMicros(windowMicros);
  }

  /**
   * Returns whether the two limits are of one kind: algorithm, window and cells are equal, and only
   * the numbers of permits differ. State kept under one of them then counts under the other.
   *
   * @param other the other limit
   * @return true if they share state
   */
  public boolean sharesStateWith(Limit other) {
    return algorithm == other.algorithm
        && windowMicros == other.windowMicros
        && cells == other.cells;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limit that
        && sharesStateWith(that)
        && permits == that.permits
        && capacity == that.capacity;
  }

  @Override
  public int hashCode() {
    long hash = permits;
    hash = hash * 31 + windowMicros;
    hash = hash * 31 + capacity;
    hash = hash * 31 + cells;
    hash = hash * 31 + algorithm.hashCode();
    return Long.hashCode(hash);
  }

  /** Returns the shorthand that {@link #parse} accepts. */
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
