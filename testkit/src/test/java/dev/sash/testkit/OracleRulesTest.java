package dev.sash.testkit;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Release;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rules that hold for every algorithm, in the model, against decisions worked out by hand. */
class OracleRulesTest {
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
  void evenAPeekIsDeniedAboveALoweredLimit() {
    RateLimiter oracle = oracle(Limit.slidingLog(3, MILLI));
    at(0, oracle, 1);
    at(10, oracle, 1);
    change(oracle, Limit.slidingLog(1, MILLI));
    assertDenied(at(20, oracle, 0), 2, 980, 990);
    assertDenied(at(20, oracle, 1), 2, 990, 990);
  }

  @Test
  void timeStandsAtTheNewestAdmissionWhileTheClockIsBehind() {
    RateLimiter oracle = oracle(Limit.slidingLog(2, MILLI));
    at(500, oracle, 1);
    assertAllowed(at(-3, oracle, 1), 2, 1000);
    assertDenied(at(1499, oracle, 1), 2, 1, 1);
    assertAllowed(at(1500, oracle, 0), 0, 0);
  }

  @Test
  void timesBelowZeroCountAsZero() {
    RateLimiter oracle = oracle(Limit.fixedWindow(1, MILLI));
    assertAllowed(at(-700, oracle, 1), 1, 1000);
    assertDenied(at(-600, oracle, 1), 1, 1000, 1000);
  }

  @Test
  void denialsPeeksAndEmptyRefundsRecordNoTime() {
    RateLimiter oracle = oracle(Limit.slidingLog(1, MILLI));
    at(100, oracle, 1);
    at(900, oracle, 1);
    at(1100, oracle, 0);
    oracle.refund("k", 1);
    assertDenied(at(200, oracle, 1), 1, 900, 900);
    oracle.refund("k", 0);
    assertDenied(at(100, oracle, 1), 1, 1000, 1000);
  }

  @Test
  void refundsThatFindSomethingRecordTheirTime() {
    RateLimiter oracle = oracle(Limit.slidingLog(5, MILLI));
    at(100, oracle, 3);
    clock.setMicros(600);
    oracle.refund("k", 1);
    assertAllowed(at(0, oracle, 0), 2, 500);
  }

  @Test
  void resetForgetsTheChargesAndTheTime() {
    RateLimiter oracle = oracle(Limit.slidingLog(1, MILLI));
    at(500, oracle, 1);
    oracle.reset("k");
    assertAllowed(at(100, oracle, 1), 1, 1000);
    assertDenied(at(1099, oracle, 1), 1, 1, 1);
  }

  @Test
  void allLimitsAreChargedOrNone() {
    RateLimiter oracle =
        oracle(Limit.slidingLog(5, MILLI), Limit.fixedWindow(3, MILLI.multipliedBy(2)));
    at(0, oracle, 3);
    Decision denied = at(1000, oracle, 1);
    assertThat(denied.decidedBy()).isEqualTo(Limit.fixedWindow(3, MILLI.multipliedBy(2)));
    assertDenied(denied, 3, 1000, 1000);
    assertThat(at(2000, oracle, 3).allowed()).isTrue();
    assertThat(at(2001, oracle, 3).remaining()).isEqualTo(0);
  }

  @Test
  void theLongestWaitDecidesADenialAndTheFewestRemainingAnAdmission() {
    Limit log = Limit.slidingLog(5, MILLI);
    Limit window = Limit.fixedWindow(4, MILLI);
    RateLimiter oracle = oracle(log, window);
    assertThat(at(100, oracle, 4).decidedBy()).isEqualTo(window);
    Decision denied = at(100, oracle, 3);
    assertThat(denied.decidedBy()).isEqualTo(log); // until 1100, the other until 1000
    assertThat(denied.remaining()).isZero();
    assertThat(denied.used()).isEqualTo(4);
    assertThat(at(100, oracle, 5).decidedBy()).isEqualTo(window); // never
    assertThat(at(100, oracle, 6).decidedBy()).isEqualTo(log); // neither ever: the first
    assertThat(at(2000, oracle, 0).decidedBy()).isEqualTo(window);
    change(oracle, log, Limit.fixedWindow(5, MILLI));
    assertThat(at(2000, oracle, 0).decidedBy()).isEqualTo(log); // both 5: the first
  }

  @Test
  void anotherWindowStartsFreshAndOtherPermitsDoNot() {
    RateLimiter oracle = oracle(Limit.slidingLog(5, MILLI));
    at(0, oracle, 5);
    change(oracle, Limit.slidingLog(7, MILLI));
    assertAllowed(at(1, oracle, 2), 7, 1000);
    change(oracle, Limit.slidingLog(7, MILLI.multipliedBy(2)));
    assertAllowed(at(1, oracle, 0), 0, 0);
  }

  @Test
  void eachKindOfLimitHasItsOwnStateAndTime() {
    RateLimiter oracle = oracle(Limit.slidingLog(5, MILLI));
    RateLimiter longer = oracle.withLimits(List.of(Limit.slidingLog(5, MILLI.multipliedBy(2))));
    at(100, oracle, 5);
    at(600, longer, 2);
    assertDenied(at(50, oracle, 1), 5, 1000, 1000);
    assertAllowed(at(50, longer, 1), 3, 2000);
    longer.reset("k");
    assertDenied(at(100, oracle, 1), 5, 1000, 1000);
    assertAllowed(at(100, longer, 0), 0, 0);
  }

  @Test
  void aChargeNeedNotFit() {
    RateLimiter oracle = oracle(Limit.slidingLog(5, MILLI));
    at(0, oracle, 3);
    clock.setMicros(100);
    assertDenied(oracle.charge("k", 4), 7, 900, 1000);
    assertDenied(at(200, oracle, 2), 7, 900, 900);
    assertDenied(at(999, oracle, 1), 7, 1, 101);
    assertAllowed(at(1000, oracle, 1), 5, 1000);
  }

  @Test
  void anInspectionCountsRecords() {
    RateLimiter oracle = oracle(Limit.slidingLog(5, MILLI), Limit.fixedWindow(9, MILLI));
    at(0, oracle, 3);
    at(10, oracle, 1);
    assertThat(oracle.inspect("k").usages())
        .containsExactly(
            new LimitUsage(
                Limit.slidingLog(5, MILLI),
                4,
                2,
                Duration.ZERO,
                List.of(release(990, 1), release(1000, 0))),
            new LimitUsage(
                Limit.fixedWindow(9, MILLI), 4, 1, Duration.ZERO, List.of(release(990, 0))));
  }

  private static Release release(long micros, long used) {
    return new Release(Duration.of(micros, MICROS), used);
  }

  @Test
  void tiersChooseTheLimitsOfAKey() {
    Map<String, List<Limit>> tiers = Map.of("pro", List.of(Limit.slidingLog(2, MILLI)));
    Policy policy =
        Policy.of("test", Limit.slidingLog(1, MILLI))
            .withTiers(key -> tiers.getOrDefault(key, List.of()));
    RateLimiter oracle = new Oracle(clock).limiter(policy);
    assertThat(oracle.tryAcquire("pro", 2).allowed()).isTrue();
    assertThat(oracle.tryAcquire("other", 2).allowed()).isFalse();
  }

  @Test
  void badInputIsNamedAndChangesNothing() {
    RateLimiter oracle = oracle(Limit.slidingLog(1, MILLI));
    assertThatThrownBy(() -> oracle.tryAcquire("k", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("permits must be between 0 and 1000000000, was -1");
    assertThatThrownBy(() -> oracle.refund("", 1)).isInstanceOf(IllegalArgumentException.class);
    assertAllowed(at(0, oracle, 1), 1, 1000);
  }
}
