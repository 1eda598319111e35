package dev.sash.testkit;

import static dev.sash.internal.Bounds.MAX_PERMITS;
import static dev.sash.internal.Bounds.MAX_WINDOW_MICROS;
import static dev.sash.internal.Bounds.MIN_WINDOW_MICROS;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.internal.Bounds;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random limits, costs and times, drawn where mistakes live: at the bounds, at the edges of windows
 * and cells, at powers of two, at the very tick that a decision named and one beside it.
 */
final class Draw {
  private static final long[] WINDOWS = {
    1_000,
    1_001,
    1_009,
    65_521,
    999_983,
    1_000_000,
    60_000_000,
    3_600_000_000L,
    86_400_000_000L,
    MAX_WINDOW_MICROS - 1,
    MAX_WINDOW_MICROS
  };
  private static final long[] STARTS = {0, -7, 1, 1L << 31, 1L << 32, 1_800_000_000_000_000L};
  private static final long[] PERMITS = {1, 1, 2, 3, 5, 10, 100, 1_000, MAX_PERMITS};
  private static final int[] CELLS = {1, 2, 3, 7, 10, 60, 288, 999, 1_000};
  private static final List<Family> SINGLE_LIMITS =
      List.copyOf(EnumSet.complementOf(EnumSet.of(Family.SEVERAL_LIMITS)));

  private final SplittableRandom random;

  Draw(long seed) {
    random = new SplittableRandom(seed);
  }

  /** From 0 to bound - 1. */
  long below(long bound) {
    return random.nextLong(bound);
  }

  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private long oneOf(long[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** One tick early, on time or one tick late. */
  private long beside(long time) {
    return time + random.nextInt(-1, 2);
  }

  /** As many small numbers as large ones. */
  private long ofAnySize(long least, long most) {
    double bits = random.nextDouble() * Math.log((double) most / least);
    return Math.min(most, (long) (least * Math.exp(bits)));
  }

  long start() {
    return oneIn(4) ? below(1L << random.nextInt(1, 51)) : oneOf(STARTS) + below(3);
  }

  long window() {
    return switch (random.nextInt(6)) {
      case 0 -> (1L << 31) + random.nextInt(-3, 4);
      case 1 -> (1L << 32) + random.nextInt(-3, 4);
      case 2 -> (1L << random.nextInt(10, 45)) + random.nextInt(-2, 3);
      case 3 -> ofAnySize(MIN_WINDOW_MICROS, MAX_WINDOW_MICROS);
      default -> oneOf(WINDOWS);
    };
  }

  long permits() {
    return oneIn(3) ? ofAnySize(1, MAX_PERMITS) : oneOf(PERMITS);
  }

  private int cells(long window) {
    return (int)
        switch (random.nextInt(4)) {
          case 0 -> ofAnySize(1, Math.min(window, 1_000_000));
          case 1 -> 1 + below(20);
          default -> CELLS[random.nextInt(CELLS.length)];
        };
  }

  /** Limits that differ in algorithm, window or cells from each other and from those given. */
  List<Limit> limits(Family family, List<Limit> unlike) {
    List<Limit> limits = new ArrayList<>();
    int count = family == Family.SEVERAL_LIMITS ? random.nextInt(2, 5) : 1;
    while (limits.size() < count) {
      Limit limit = limit(family, limits);
      if (limits.stream().noneMatch(limit::sharesStateWith)
          && unlike.stream().noneMatch(limit::sharesStateWith)) {
        limits.add(limit);
      }
    }
    return limits;
  }

  /** Sometimes as wide or as large as one of the others: so that limits come to a tie. */
  private Limit limit(Family family, List<Limit> others) {
    boolean sameWindow = !others.isEmpty() && oneIn(2);
    boolean samePermits = !others.isEmpty() && oneIn(2);
    return limit(
        family,
        sameWindow ? oneOf(others).windowMicros() : window(),
        samePermits ? oneOf(others).permits() : permits());
  }

  private Limit limit(Family family, long window, long permits) {
    return switch (family) {
      case SLIDING_LOG -> Limit.slidingLog(permits, micros(window));
      case SLIDING_LOG_WITH_CELLS -> logWithCells(window, permits);
      case SLIDING_COUNTER -> Limit.slidingCounter(permits, micros(window));
      case FIXED_WINDOW -> Limit.fixedWindow(permits, micros(window));
      case TOKEN_BUCKET ->
          Limit.tokenBucket(permits, micros(window))
              .withCapacity(oneIn(2) ? permits : otherThan(permits));
      case SEVERAL_LIMITS -> limit(oneOf(SINGLE_LIMITS), window, permits);
    };
  }

  private Limit logWithCells(long window, long permits) {
    if (oneIn(8)) { // the window and one cell together are about as long as 32 bits can tell
      int few = random.nextInt(1, 20);
      long most = (1L << random.nextInt(31, 33)) / (few + 1) * few + random.nextInt(-9, 10);
      return Limit.slidingLog(permits, micros(most)).withCells(few);
    }
    return Limit.slidingLog(permits, micros(window)).withCells(cells(window));
  }

  /** A sliding log like that one, with thousands of records when it is full. */
  Limit crowded(Limit log) {
    int cells = log.cells() == 0 ? 0 : (int) Math.min(log.windowMicros(), 500 + below(3_000));
    return log.withPermits(500 + below(4_000)).withCells(cells);
  }

  /** A limit that shares its state with that one, of other permits. */
  Limit otherPermits(Limit limit) {
    Limit other = limit.withPermits(otherThan(limit.permits()));
    return limit.algorithm() == Algorithm.TOKEN_BUCKET
        ? other.withCapacity(oneIn(3) ? limit.capacity() : otherThan(limit.capacity()))
        : other;
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private long otherThan(long permits) {
    long other =
        switch (random.nextInt(6)) {
          case 0 -> permits + 1;
          case 1 -> permits - 1;
          case 2 -> permits / 2;
          case 3 -> permits * 2;
          case 4 -> 1 + below(2 * permits);
          default -> permits();
        };
    return Math.max(1, Math.min(MAX_PERMITS, other));
  }

  long cost(Limit limit, Decision last) {
    long capacity = limit.capacity();
    long cost =
        switch (random.nextInt(18)) {
          case 0 -> 0;
          case 1 -> capacity;
          case 2 -> capacity - below(3);
          case 3 -> capacity + 1 + below(3);
          case 4 -> last.remaining();
          case 5 -> last.remaining() + 1;
          case 6 -> 1 + below(capacity);
          case 7 -> oneIn(8) ? MAX_PERMITS - below(2) : last.used();
          case 8, 9 -> 1 + below(5);
          case 10, 11, 12 -> 1 + capacity / (2 + below(20));
          default -> 1;
        };
    return Math.max(0, Math.min(MAX_PERMITS, cost));
  }

  /** The time of the next operation, for a limit whose last decision fell at this time. */
  long laterThan(long time, Limit limit, Decision last) {
    return Math.max(time, aimedAt(time, limit, last));
  }

  private long aimedAt(long time, Limit limit, Decision last) {
    long window = limit.windowMicros();
    return switch (random.nextInt(16)) {
      case 0, 1 -> soonAfter(time, limit);
      case 2 -> time + 1;
      case 3 -> time + below(window);
      case 4 -> beside(time + window);
      case 5 -> beside(time + 2 * window);
      case 6 -> beside(time - time % window + window);
      case 7 -> beside(time - time % cell(limit) + cell(limit));
      case 8, 9, 10, 11 ->
          last.allowed() || last.neverAllowed()
              ? time
              : beside(time + Bounds.microsCeil(last.retryAfter()));
      case 12 -> beside(time + Bounds.microsCeil(last.resetAfter()));
      case 13 -> time + window / (1 + below(10));
      default -> time;
    };
  }

  /** The same tick, or so little later that the limit fills up. */
  long soonAfter(long time, Limit limit) {
    return oneIn(2) ? time : time + below(1 + 2 * limit.windowMicros() / limit.permits());
  }

  /** Some time before, a little or much. */
  long earlierThan(long time, Limit limit) {
    return switch (random.nextInt(4)) {
      case 0 -> time - 1;
      case 1 -> time - below(limit.windowMicros());
      case 2 -> beside(time - limit.windowMicros());
      default -> time - ofAnySize(1, 4 * limit.windowMicros());
    };
  }

  /** The length of a cell; of a whole window if there are none. */
  private static long cell(Limit limit) {
    return limit.cells() == 0
        ? limit.windowMicros()
        : (limit.windowMicros() + limit.cells() - 1) / limit.cells();
  }
}
