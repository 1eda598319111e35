package dev.sash.testkit;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How the model counts, against numbers worked out by hand. */
class OracleTest {
  private static final Duration MILLI = Duration.ofMillis(1);

  private final ManualClock clock = new ManualClock();

  private final LimiterRegistry limiters = new LimiterRegistry(new Oracle(clock));
  private int policies;

  private RateLimiter oracle(Limit... limits) {
    return limiters.put(Policy.of("test" + policies++, limits));
  }

  private void change(RateLimiter oracle, Limit... limits) {
    limiters.put(Policy.of(oracle.policy().name(), limits));
  }

  private Decision at(long micros, RateLimiter oracle, long permits) {
    clock.setMicros(micros);
    return oracle.tryAcquire("k", permits);
  }

  private static void assertDenied(Decision decision, long used, long retryAfter, long resetAfter) {
    assertThat(decision.allowed()).isFalse();
    assertState(decision, used, resetAfter);
    assertThat(decision.retryAfter()).isEqualTo(Duration.of(retryAfter, MICROS));
  }

  private static void assertAllowed(Decision decision, long used, long resetAfter) {
    assertThat(decision.allowed()).isTrue();
    assertState(decision, used, resetAfter);
    assertThat(decision.retryAfter()).isEqualTo(Duration.ZERO);
  }

  private static void assertState(Decision decision, long used, long resetAfter) {
    assertThat(decision.used()).isEqualTo(used);
    assertThat(decision.remaining()).isEqualTo(Math.max(0, decision.limit() - used));
    assertThat(decision.resetAfter()).isEqualTo(Duration.of(resetAfter, MICROS));
    assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
  }

  @Test
  void logAnswersAsInTheExampleOfADecision() {
    RateLimiter oracle = oracle(Limit.slidingLog(10, Duration.ofMinutes(1)));
    assertAllowed(at(0, oracle, 4), 4, 60_000_000);
    assertAllowed(at(20_000_000, oracle, 5), 9, 60_000_000);
    assertDenied(at(30_000_000, oracle, 3), 9, 30_000_000, 50_000_000);
    assertDenied(at(59_999_999, oracle, 3), 9, 1, 20_000_001);
    assertAllowed(at(60_000_000, oracle, 3), 8, 60_000_000);
  }

  @Test
  void logReleasesWhatIsExactlyOneWindowOld() {
    RateLimiter oracle = oracle(Limit.slidingLog(1, MILLI));
    assertAllowed(at(5, oracle, 1), 1, 1000);
    assertDenied(at(1004, oracle, 1), 1, 1, 1);
    assertAllowed(at(1005, oracle, 1), 1, 1000);
  }

  @Test
  void logWaitsForAsManyRecordsAsTheCostNeeds() {
    RateLimiter oracle = oracle(Limit.slidingLog(6, MILLI));
    at(100, oracle, 1);
    at(200, oracle, 2);
    at(300, oracle, 3);
    assertDenied(at(400, oracle, 1), 6, 700, 900);
    assertDenied(at(400, oracle, 2), 6, 800, 900);
    assertDenied(at(400, oracle, 3), 6, 800, 900);
    assertDenied(at(400, oracle, 4), 6, 900, 900);
  }

  @Test
  void cellsHoldAChargeUntilTheEndOfTheCellLeavesTheWindow() {
    RateLimiter oracle = oracle(Limit.slidingLog(2, MILLI).withCells(3)); // cells of 334 ticks
    assertAllowed(at(334, oracle, 1), 1, 1333); // until 667 + 1000
    assertAllowed(at(667, oracle, 1), 2, 1000);
    assertDenied(at(1666, oracle, 1), 2, 1, 1);
    assertAllowed(at(1667, oracle, 1), 1, 1002); // until 1669 + 1000
  }

  @Test
  void counterWeighsThePreviousWindowAndRoundsDown() {
    RateLimiter oracle = oracle(Limit.slidingCounter(10, MILLI));
    assertAllowed(at(999, oracle, 10), 10, 902); // a tenth of it is left until 1900
    assertDenied(at(1000, oracle, 1), 10, 1, 901);
    assertAllowed(at(1001, oracle, 1), 10, 1000); // the 1 counts whole until 2000
  }

  @Test
  void counterWaitsIntoTheWindowWhereItFits() {
    RateLimiter oracle = oracle(Limit.slidingCounter(1_000_000, MILLI));
    at(500, oracle, 1_000_000);
    assertDenied(at(500, oracle, 999_000), 1_000_000, 1499, 1500); // 1000 left of it at 1999
    assertDenied(at(500, oracle, 999_001), 1_000_000, 1500, 1500);
    assertDenied(at(1500, oracle, 600_000), 500_000, 100, 500);
  }

  @Test
  void fixedWindowStartsAgainAtMultiplesOfItsLength() {
    RateLimiter oracle = oracle(Limit.fixedWindow(3, MILLI));
    assertAllowed(at(1400, oracle, 3), 3, 600);
    assertDenied(at(1999, oracle, 1), 3, 1, 1);
    assertAllowed(at(2000, oracle, 3), 3, 1000);
  }

  @Test
  void tokenBucketRefillsContinuouslyAndOwesFractionsAsWholePermits() {
    RateLimiter oracle = oracle(Limit.tokenBucket(3, MILLI).withCapacity(5));
    assertAllowed(at(0, oracle, 5), 5, 1667);
    assertDenied(at(1, oracle, 1), 5, 333, 1666);
    assertDenied(at(333, oracle, 1), 5, 1, 1334);
    assertAllowed(at(334, oracle, 1), 5, 1666); // 3.998 + 1
  }

  @Test
  void tokenBucketForgetsTheFractionWhenAllIsRefunded() {
    RateLimiter oracle = oracle(Limit.tokenBucket(3, MILLI));
    at(0, oracle, 2);
    clock.setMicros(1);
    assertAllowed(oracle.refund("k", 2), 0, 0);
  }

  @Test
  void tokenBucketRefillsAtTheNewRateFromTheFirstRequestUnderItOn() {
    RateLimiter oracle = oracle(Limit.tokenBucket(10, MILLI));
    at(0, oracle, 10);
    clock.setMicros(500);
    change(oracle, Limit.tokenBucket(2, MILLI).withCapacity(10));
    assertAllowed(oracle.peek("k"), 5, 2500);
    clock.setMicros(1000);
    assertAllowed(oracle.peek("k"), 4, 2000);
  }

  @Test
  void waitsLongerThanTheLongestAreCut() {
    Duration year = Duration.ofDays(366);
    RateLimiter oracle = oracle(Limit.tokenBucket(1, year).withCapacity(1_000_000_000));
    at(0, oracle, 1_000_000_000);
    assertDenied(at(0, oracle, 1_000_000_000), 1_000_000_000, 1L << 62, 1L << 62);
    assertDenied(at(0, oracle, 1), 1_000_000_000, year.toSeconds() * 1_000_000, 1L << 62);
  }

  @Test
  void moreThanTheLimitIsNeverAllowedAndSpendsNothing() {
    RateLimiter oracle = oracle(Limit.slidingLog(3, MILLI));
    at(0, oracle, 2);
    Decision decision = at(1, oracle, 4);
    assertThat(decision.neverAllowed()).isTrue();
    assertState(decision, 2, 999);
  }

  @Test
  void logGivesBackTheMostRecentPermitsFirst() {
    RateLimiter oracle = oracle(Limit.slidingLog(10, MILLI));
    at(100, oracle, 4);
    at(200, oracle, 3);
    clock.setMicros(300);
    assertAllowed(oracle.refund("k", 5), 2, 800);
    assertAllowed(oracle.refund("k", 5), 0, 0);
  }

  @Test
  void counterGivesBackFromThisWindowFirst() {
    RateLimiter oracle = oracle(Limit.slidingCounter(10, MILLI));
    at(0, oracle, 8);
    at(1500, oracle, 3);
    assertAllowed(oracle.refund("k", 5), 3, 334); // 0 and 6 are left: 6 * 166 / 1000 is less than 1
  }

  @Test
  void waitsAreWhatTryingEveryTickFinds() {
    List<Limit> limits =
        List.of(
            Limit.slidingLog(9, MILLI),
            Limit.slidingLog(9, MILLI).withCells(7),
            Limit.slidingCounter(9, MILLI),
            Limit.slidingCounter(5_000, MILLI),
            Limit.fixedWindow(9, MILLI),
            Limit.tokenBucket(7, MILLI).withCapacity(9));
    for (Limit limit : limits) {
      for (long seed = 1; seed <= 20; seed++) {
        tryEveryTick(limit, seed);
      }
    }
  }

  private void tryEveryTick(Limit limit, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RateLimiter oracle = oracle(limit);
    long now = random.nextLong(5_000);
    for (int i = 0; i < 20; i++) {
      now += random.nextLong(300);
      at(now, oracle, 1 + random.nextLong(limit.capacity() / 2));
    }
    long tooMany = oracle.peek("k").remaining() + 1;
    Decision denied = at(now, oracle, tooMany);
    long retryAt = now;
    while (!at(retryAt, oracle, tooMany).allowed()) {
      retryAt++;
    }
    assertThat(denied.retryAfter())
        .as("retry of %s with seed %s", limit, seed)
        .isEqualTo(Duration.of(retryAt - now, MICROS));
  }
}
