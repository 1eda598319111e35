package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The most that hostile timing gets out of each algorithm in one true window: its bound, and not a
 * permit more. Random attacks are replayed with {@code -Dsash.seed}.
 */
public abstract class WorstCaseContract extends StoreContract {
  private static final long SEED = Long.getLong("sash.seed", System.nanoTime());
  private static final long SECOND = 1_000_000;

  private record Admission(long atMicros, long permits) {}

  /** For subclasses. */
  protected WorstCaseContract() {}

  /**
   * Returns the number of requests of a random attack.
   *
   * @return 20,000; override it for a slow store
   */
  protected int attack() {
    return 20_000;
  }

  @Test
  void theLogKeepsToTheLimitUnderTheAttackThatDoublesTheOthers() {
    assertThat(mostAcrossABoundary("20/1s sliding-log")).isEqualTo(20);
    assertThat(mostAcrossABoundary("20/1s sliding-log cells=10")).isEqualTo(20);
    assertThat(mostAcrossABoundary("20/1s sliding-log cells=1")).isEqualTo(20);
  }

  @Test
  void theFixedWindowAdmitsTwiceTheLimitAcrossABoundary() {
    assertThat(mostAcrossABoundary("20/1s fixed-window")).isEqualTo(40);
  }

  @Test
  void theCounterAdmitsTwiceTheLimitUnderHostileTiming() {
    assertThat(mostAcrossABoundary("20/1s sliding-counter")).isEqualTo(40);
  }

  @Test
  void theTokenBucketAdmitsItsCapacityAndAllButOneOfItsRefill() {
    assertThat(mostAcrossABoundary("20/1s token-bucket")).isEqualTo(39);
    assertThat(mostAcrossABoundary("20/1s token-bucket capacity=70")).isEqualTo(89);
    assertThat(mostAcrossABoundary("20/1s token-bucket capacity=1")).isEqualTo(20);
  }

  @TestFactory
  Stream<DynamicTest> noTimingGetsMoreThanTheBound() {
    return Stream.of(
            "7/1ms sliding-log",
            "20/1s sliding-log",
            "20/1s sliding-log cells=7",
            "20/1s sliding-log cells=1",
            "20/1s sliding-counter",
            "7/1ms sliding-counter",
            "20/1s fixed-window",
            "20/1s token-bucket",
            "20/1s token-bucket capacity=3",
            "20/1s token-bucket capacity=55",
            "7/1ms token-bucket")
        .map(limit -> DynamicTest.dynamicTest(limit, () -> attackAtRandom(Limit.parse(limit))));
  }

  @TestFactory
  Stream<DynamicTest> cellsCostAtMostOnePartInCellsPlusOneOfTheRate() {
    return Stream.of(1, 2, 10, 60)
        .map(cells -> DynamicTest.dynamicTest(cells + " cells", () -> checkSustainedRate(cells)));
  }

  /** Spends everything in the last tick of a window, then every permit as early as it can. */
  private long mostAcrossABoundary(String shorthand) {
    Limit limit = Limit.parse(shorthand);
    RateLimiter limiter = limiter(shorthand);
    clock.setMicros(10 * SECOND - 1);
    List<Admission> admissions = new ArrayList<>();
    while (clock.micros() < 13 * SECOND) {
      Decision decision = limiter.tryAcquire("k");
      if (decision.allowed()) {
        admissions.add(new Admission(clock.micros(), 1));
      } else {
        clock.advance(decision.retryAfter());
      }
    }
    long most = mostInAnyWindow(admissions, limit.windowMicros());
    assertThat(most).isLessThanOrEqualTo(bound(limit));
    return most;
  }

  private void attackAtRandom(Limit limit) {
    Random random = new Random(SEED);
    RateLimiter limiter = limiter(limit.toString());
    long window = limit.windowMicros();
    List<Admission> admissions = new ArrayList<>();
    clock.setMicros(random.nextLong(10 * window));
    for (int i = 0; i < attack(); i++) {
      long permits = 1 + random.nextLong(random.nextInt(4) == 0 ? limit.capacity() : 2);
      Decision decision = limiter.tryAcquire("k", permits);
      if (decision.allowed()) {
        admissions.add(new Admission(clock.micros(), permits));
      }
      clock.advanceMicros(pause(random, window, decision));
    }
    assertThat(mostInAnyWindow(admissions, window))
        .as("replay with -Dsash.seed=%d", SEED)
        .isBetween(limit.capacity(), bound(limit));
  }

  /** No time, until the retry, some time, or until just before or at a boundary. */
  private long pause(Random random, long window, Decision decision) {
    long toBoundary = window - clock.micros() % window;
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> 0;
      case 3, 4 -> decision.neverAllowed() ? 0 : retryMicros(decision);
      case 5 -> random.nextLong(window);
      case 6 -> toBoundary - 1;
      default -> toBoundary;
    };
  }

  /** A caller who takes what is left at the beginning of each cell waits longest. */
  private void checkSustainedRate(int cells) {
    RateLimiter limiter = limiter("60/1s sliding-log cells=" + cells);
    long cell = -Math.floorDiv(-SECOND, (long) cells);
    int windows = 300;
    long admitted = 0;
    for (long time = 0; time < windows * SECOND; time += cell) {
      clock.setMicros(time);
      long left = limiter.peek("k").remaining();
      if (left > 0 && limiter.tryAcquire("k", left).allowed()) {
        admitted += left;
      }
    }
    assertThat(admitted * (cells + 1)).isGreaterThanOrEqualTo(60L * cells * windows);
    assertThat(admitted).isLessThanOrEqualTo(60L * windows);
  }

  private static long bound(Limit limit) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> limit.permits();
      case SLIDING_COUNTER, FIXED_WINDOW -> 2 * limit.permits();
      case TOKEN_BUCKET -> limit.capacity() + limit.permits() - 1;
    };
  }

  /** The most permits admitted in any (t - window, t]; admissions are in the order of time. */
  private static long mostInAnyWindow(List<Admission> admissions, long window) {
    Deque<Admission> inWindow = new ArrayDeque<>();
    long sum = 0;
    long most = 0;
    for (Admission admission : admissions) {
      inWindow.addLast(admission);
      sum += admission.permits;
      while (inWindow.getFirst().atMicros <= admission.atMicros - window) {
        sum -= inWindow.removeFirst().permits;
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
