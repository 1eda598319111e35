package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Charging permits whether they fit or not. */
public abstract class ChargeContract extends StoreContract {
  private static final long MAX_USED = 2_000_000_000;

  /** For subclasses. */
  protected ChargeContract() {}

  @TestFactory
  Stream<DynamicTest> aChargeThatFitsIsLikeAnAcquisition() {
    return onEveryAlgorithm(
        limiter -> {
          for (int step = 0; step < 10; step++) {
            clock.setMicros(step * 120_001L);
            long permits = limiter.peek("acquired").remaining() / 2;
            Decision acquired = limiter.tryAcquire("acquired", permits);
            assertThat(limiter.charge("charged", permits)).isEqualTo(acquired);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aChargeBeyondTheLimitIsRecorded() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 7);
          Decision charged = limiter.charge("k", 18);

          assertThat(charged.used()).isEqualTo(25);
          assertThat(charged.remaining()).isZero();
          assertThat(charged.allowed()).as("not even 0 permits fit").isFalse();
          assertThat(charged.retryAfter()).isPositive();
          assertThat(limiter.peek("k")).isEqualTo(charged);
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          assertThat(limiter.tryAcquire("k", 11).neverAllowed()).isTrue();
          assertThat(limiter.tryAcquire("other").used()).isOne();
        });
  }

  @TestFactory
  Stream<DynamicTest> nothingIsAdmittedUntilItFitsAgainAndThenAtOnce() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(300_000);
          limiter.tryAcquire("k", 9);
          clock.setMicros(550_000);
          limiter.charge("k", 8);
          Decision denied = limiter.tryAcquire("k", 3);
          long allowedAt = clock.micros() + retryMicros(denied);

          clock.setMicros(allowedAt - 1);
          assertThat(limiter.tryAcquire("k", 3).retryAfter()).isEqualTo(micros(1));
          clock.setMicros(allowedAt);
          assertThat(limiter.tryAcquire("k", 3).allowed()).isTrue();
        });
  }

  @TestFactory
  Stream<DynamicTest> theStateSaysWhenNothingIsChargedAnyMore() {
    return onEveryAlgorithm(
        limiter -> {
          Decision charged = limiter.charge("k", 33);
          clock.advance(charged.resetAfter().minus(micros(1)));
          assertThat(limiter.peek("k").used()).isPositive();
          clock.advanceMicros(1);
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(spendAll(limiter, "k")).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> chargingNothingChangesNothing() {
    return onEveryAlgorithm(
        limiter -> {
          Decision spent = limiter.tryAcquire("k", 4);
          clock.setMicros(50_000);
          limiter.charge("k", 0);
          clock.setMicros(0);
          assertThat(limiter.peek("k")).isEqualTo(spent);
        });
  }

  @TestFactory
  Stream<DynamicTest> aChargeMakesItsTimeTheNewest() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(5_000_000);
          Decision charged = limiter.charge("k", 12);
          clock.setMicros(1_000_000);
          assertThat(limiter.peek("k")).isEqualTo(charged);
        });
  }

  @TestFactory
  Stream<DynamicTest> aChargeCanBeRefundedAndReset() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.charge("k", 25);
          assertThat(limiter.refund("k", 18).used()).isEqualTo(7);
          assertThat(spendAll(limiter, "k")).isEqualTo(3);
          limiter.charge("k", 25);
          limiter.reset("k");
          assertThat(limiter.peek("k").used()).isZero();
        });
  }

  @TestFactory
  Stream<DynamicTest> noMoreThanTwoBillionAreCharged() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.charge("k", 3);
          limiter.charge("k", 1_000_000_000);
          assertThat(limiter.peek("k").used()).isEqualTo(1_000_000_003);
          for (int i = 0; i < 4; i++) {
            assertThat(limiter.charge("k", 999_999_999).used()).isEqualTo(MAX_USED);
          }
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          assertThat(limiter.refund("k", 1_000_000_000).used()).isEqualTo(1_000_000_000);
          assertThat(limiter.refund("k", 999_999_995).used()).isEqualTo(5);
          assertThat(spendAll(limiter, "k")).isEqualTo(5);
        });
  }

  @Test
  void theLogReleasesAChargeWhenItIsOneWindowOld() {
    check(
        "10/1m",
        """
        at       | do        | answer  | used | left | retry | reset
        0        | 4         | allowed | 4    | 6    | 0     | 1m
        10s      | charge 9  | denied  | 13   | 0    | 50s   | 1m
        20s      | 1         | denied  | 13   | 0    | 40s   | 50s
        20s      | 2         | denied  | 13   | 0    | 50s   | 50s
        1m - 1us | 1         | denied  | 13   | 0    | 1us   | 10s + 1us
        1m       | 1         | allowed | 10   | 0    | 0     | 1m
        70s      | charge 9  | allowed | 10   | 0    | 0     | 1m
        """);
  }

  @Test
  void theTokenBucketRefillsWhatWasChargedBeyondItsCapacity() {
    check(
        "10/1s token-bucket",
        """
        at       | do        | answer  | used | left | retry | reset
        0        | charge 25 | denied  | 25   | 0    | 1500ms | 2500ms
        0        | 1         | denied  | 25   | 0    | 1600ms | 2500ms
        1500ms   | peek      | allowed | 10   | 0    | 0     | 1s
        1600ms   | 1         | allowed | 10   | 0    | 0     | 1s
        """);
  }

  @Test
  void theFixedWindowForgetsAChargeWithItsWindow() {
    check(
        "10/1s fixed-window",
        """
        at       | do        | answer  | used | left | retry | reset
        400ms    | charge 25 | denied  | 25   | 0    | 600ms | 600ms
        1s       | peek      | allowed | 0    | 10   | 0     | 0
        """);
  }

  @Test
  void theCounterWeighsAChargeLikeAnAdmission() {
    check(
        "10/1s sliding-counter",
        """
        at       | do        | answer  | used | left | retry | reset
        0        | charge 40 | denied  | 40   | 0    |       |
        1500ms   | peek      | denied  | 20   | 0    | 225001us |
        1725001us| peek      | allowed | 10   | 0    | 0     |
        1725001us| 1         | denied  | 10   | 0    | 25ms  |
        """);
  }

  @Test
  void everyLimitIsCharged() {
    check(
        "5/1s and 8/1m and 9/1m fixed-window and 10/1m token-bucket",
        """
        at  | do        | answer  | by | used | left | retry
        0   | charge 7  | denied  | 1  | 7    | 0    | 1s
        1s  | peek      | allowed | 2  | 7    | 1    | 0
        1s  | 2         | denied  | 2  | 7    | 1    | 59s
        1s  | charge 7  | denied  | 2  | 14   | 0    | 59s
        """);
  }

  @Test
  void ofSeveralLimitsTheFullestBoundsTheCharge() {
    Limit log = Limit.parse("5/1s");
    Limit hourly = Limit.parse("5/1h fixed-window");
    RateLimiter both = limiter(policy().withLimit(log).withLimit(hourly));
    both.withLimits(List.of(log)).charge("k", 999_999_999);
    both.withLimits(List.of(log)).charge("k", 999_999_999);

    both.charge("k", 1_000);

    assertThat(both.inspect("k").usages())
        .extracting(usage -> usage.used())
        .containsExactly(MAX_USED, 2L);
  }
}
