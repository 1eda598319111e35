package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Clocks that go back, jump, and begin anywhere: time never moves backwards for a key. */
public abstract class TimeContract extends StoreContract {
  private static final long SECOND = 1_000_000;

  /** For subclasses. */
  protected TimeContract() {}

  @TestFactory
  Stream<DynamicTest> whenTheClockGoesBackTheKeyStaysAtItsNewestAdmission() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(100 * SECOND + 1);
          Decision spent = limiter.tryAcquire("k", 8);
          Decision denied = limiter.tryAcquire("k", 3);
          for (long earlier : new long[] {100 * SECOND, 99 * SECOND, 1, 0, -5 * SECOND}) {
            clock.setMicros(earlier);
            assertThat(limiter.peek("k")).isEqualTo(spent);
            assertThat(limiter.tryAcquire("k", 3)).isEqualTo(denied);
          }
          assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
          assertThat(limiter.tryAcquire("k", 1).allowed()).isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> whenTheClockHasCaughtUpItGoesOnAsIfNothingHadHappened() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(100 * SECOND + 500_000);
          limiter.tryAcquire("steady", 6);
          limiter.tryAcquire("k", 3);
          clock.setMicros(40 * SECOND);
          limiter.tryAcquire("k", 3);
          for (long time = 100 * SECOND; time < 104 * SECOND; time += 70_007) {
            clock.setMicros(time);
            assertThat(limiter.peek("k")).isEqualTo(limiter.peek("steady"));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> onlyAdmissionsAndRefundsMakeATimeTheNewest() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 10);
          Decision then = limiter.tryAcquire("k", 10);
          clock.setMicros(SECOND / 50);
          limiter.peek("k");
          assertThat(limiter.tryAcquire("k", 10).allowed()).isFalse();
          limiter.tryAcquire("k", 11);
          limiter.refund("k", 0);
          clock.setMicros(0);
          assertThat(limiter.tryAcquire("k", 10)).isEqualTo(then);

          clock.setMicros(SECOND / 10);
          Decision refunded = limiter.refund("k", 1);
          clock.setMicros(0);
          assertThat(limiter.peek("k")).isEqualTo(refunded);
        });
  }

  @TestFactory
  Stream<DynamicTest> aRefundOfNothingDoesNotMakeATimeTheNewest() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(10 * SECOND);
          limiter.refund("k", 5);
          clock.setMicros(0);
          limiter.tryAcquire("k", 10);
          clock.setMicros(5 * SECOND);
          assertThat(limiter.peek("k").used()).isZero();
        });
  }

  @TestFactory
  Stream<DynamicTest> oneKeysTimeIsNotAnothers() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(100 * SECOND);
          limiter.tryAcquire("ahead", 10);
          clock.setMicros(50 * SECOND);
          limiter.tryAcquire("k", 10);
          clock.setMicros(55 * SECOND);
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(limiter.peek("ahead").used()).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> forgettingAKeyForgetsItsTime() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(100 * SECOND);
          limiter.tryAcquire("k", 10);
          clock.setMicros(50 * SECOND);
          limiter.reset("k");
          limiter.tryAcquire("k", 10);
          clock.setMicros(55 * SECOND);
          assertThat(limiter.peek("k").used()).isZero();
        });
  }

  @TestFactory
  Stream<DynamicTest> aYearLaterNothingIsCharged() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 10);
          clock.advance(Duration.ofDays(366));
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(limiter.peek("k").resetAfter()).isZero();
          assertThat(spendAll(limiter, "k")).isEqualTo(10);

          clock.advance(Duration.ofDays(-366)); // and now it stays there
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> timesBelowZeroAreZero() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter other = limiter(limiter.policy().limits().get(0).toString());
          clock.setMicros(0);
          Decision atZero = other.tryAcquire("k", 7);
          clock.setMicros(-3 * SECOND - 1);
          assertThat(limiter.tryAcquire("k", 7)).isEqualTo(atZero);
          clock.setMicros(-1);
          assertThat(limiter.peek("k")).isEqualTo(atZero);
          for (long time = 0; time < 3 * SECOND; time += 90_001) {
            clock.setMicros(time);
            assertThat(limiter.peek("k")).isEqualTo(other.peek("k"));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> worksAtTheEndsOfTime() {
    return onEveryAlgorithm(
        limiter -> {
          long late = latestMicros() / 4;
          for (long time : new long[] {Long.MIN_VALUE, late, Long.MAX_VALUE}) {
            clock.setMicros(time);
            String key = "at " + time;
            assertThat(spendAll(limiter, key)).isEqualTo(10);
            Decision denied = limiter.tryAcquire(key, 10);
            assertThat(denied.retryAfter()).isBetween(micros(1), Duration.ofSeconds(3));
            assertThat(denied.resetAfter()).isBetween(micros(1), Duration.ofSeconds(3));
            assertThat(limiter.refund(key, 4).remaining()).isEqualTo(4);
          }
          clock.setMicros(Long.MIN_VALUE);
          assertThat(limiter.peek("at " + Long.MAX_VALUE).used()).isEqualTo(6);
          clock.setMicros(Long.MAX_VALUE);
          assertThat(limiter.peek("at " + Long.MIN_VALUE).used()).isZero();
          assertThat(limiter.peek("at " + late).used()).isZero();
          assertThat(spendAll(limiter, "at " + Long.MIN_VALUE)).isEqualTo(10);
        });
  }

  @Test
  void onlyTheClockOfTheStoreDecides() {
    RateLimiter limiter = limiter("1/1ms");
    for (int i = 0; i < 1_000; i++) {
      limiter.tryAcquire("k"); // however long this takes
    }
    assertThat(limiter.tryAcquire("k").retryAfter()).isEqualTo(Duration.ofMillis(1));
    clock.setMicros(999);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.setMicros(1_000);
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }
}
