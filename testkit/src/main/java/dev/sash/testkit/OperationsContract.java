package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.KeyLimiter;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.RateLimiter;
import dev.sash.store.Decisions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What every algorithm does alike: acquire, deny, peek, refund, reset, inspect. */
public abstract class OperationsContract extends StoreContract {
  /** For subclasses. */
  protected OperationsContract() {}

  @TestFactory
  Stream<DynamicTest> admitsUpToTheLimitAndDeniesTheNext() {
    return onEveryAlgorithm(
        limiter -> {
          for (int i = 1; i <= 10; i++) {
            Decision decision = limiter.tryAcquire("k");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.used()).isEqualTo(i);
            assertThat(decision.remaining()).isEqualTo(10 - i);
            assertThat(decision.retryAfter()).isZero();
          }
          Decision denied = limiter.tryAcquire("k");
          assertThat(denied.allowed()).isFalse();
          assertThat(denied.used()).isEqualTo(10);
          assertThat(denied.remaining()).isZero();
          assertThat(denied.retryAfter()).isPositive();
        });
  }

  @TestFactory
  Stream<DynamicTest> describesTheDecision() {
    return onEveryAlgorithm(
        limiter -> {
          Limit limit = limiter.policy().limits().get(0);
          for (long permits : new long[] {0, 7, 4, 11}) {
            Decision decision = limiter.tryAcquire("k", permits);
            assertThat(decision.decidedBy()).isEqualTo(limit);
            assertThat(decision.limit()).isEqualTo(10);
            assertThat(decision.source()).isEqualTo(Source.STORE);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> spendsSeveralPermitsAtOnceOrNone() {
    return onEveryAlgorithm(
        limiter -> {
          assertThat(limiter.tryAcquire("k", 7).remaining()).isEqualTo(3);
          Decision denied = limiter.tryAcquire("k", 4);
          assertThat(denied.allowed()).isFalse();
          assertThat(denied.used()).isEqualTo(7);
          assertThat(denied.remaining()).isEqualTo(3);
          assertThat(limiter.tryAcquire("k", 3).allowed()).isTrue();
          assertThat(limiter.tryAcquire("k", 1).allowed()).isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> keepsKeysApart() {
    return onEveryAlgorithm(
        limiter -> {
          assertThat(spendAll(limiter, "a")).isEqualTo(10);
          assertThat(limiter.peek("b").used()).isZero();
          assertThat(spendAll(limiter, "b")).isEqualTo(10);
          limiter.refund("a", 10);
          limiter.reset("c");
          assertThat(limiter.peek("a").used()).isZero();
          assertThat(limiter.peek("b").used()).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> moreThanTheLimitIsNeverAllowedAndSpendsNothing() {
    return onEveryAlgorithm(
        limiter -> {
          for (long permits : new long[] {11, 12, 1_000_000_000}) {
            Decision decision = limiter.tryAcquire("k", permits);
            assertThat(decision.allowed()).isFalse();
            assertThat(decision.neverAllowed()).isTrue();
            assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
            assertThat(decision.used()).isZero();
            assertThat(decision.remaining()).isEqualTo(10);
            assertThat(decision.resetAfter()).isZero();
          }
          assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
          Decision full = limiter.tryAcquire("k", 11);
          assertThat(full.neverAllowed()).isTrue();
          assertThat(full.used()).isEqualTo(10);
          assertThat(full.resetAfter()).isPositive();
        });
  }

  @TestFactory
  Stream<DynamicTest> peekingChangesNothing() {
    return onEveryAlgorithm(
        limiter -> {
          Decision untouched = limiter.peek("k");
          assertThat(untouched.allowed()).isTrue();
          assertThat(untouched.used()).isZero();
          assertThat(untouched.remaining()).isEqualTo(10);
          assertThat(untouched.resetAfter()).isZero();

          Decision spent = limiter.tryAcquire("k", 4);
          for (int i = 0; i < 20; i++) {
            assertThat(limiter.peek("k")).isEqualTo(spent);
            assertThat(limiter.tryAcquire("k", 0)).isEqualTo(spent);
          }
          assertThat(spendAll(limiter, "k")).isEqualTo(6);
          assertThat(limiter.peek("k").allowed()).as("nothing fits into a full limit").isTrue();
        });
  }

  @TestFactory
  Stream<DynamicTest> aDeniedRequestLeavesNoTrace() {
    return onEveryAlgorithm(
        limiter -> {
          for (int step = 0; step < 60; step++) {
            clock.setMicros(step * 70_001L);
            Decision quiet = limiter.tryAcquire("quiet", 3);
            assertThat(limiter.tryAcquire("noisy", 3)).isEqualTo(quiet);
            if (!quiet.allowed()) {
              clock.advanceMicros(1_000); // a denied request does not make this the newest time
              limiter.peek("noisy");
              assertThat(limiter.tryAcquire("noisy", 11).allowed()).isFalse();
              assertThat(limiter.tryAcquire("noisy", 10).allowed()).isFalse();
              clock.advanceMicros(-1_000);
            }
            assertThat(limiter.peek("noisy")).isEqualTo(limiter.peek("quiet"));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> isAllowedAfterExactlyTheTimeItSays() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(123_457);
          limiter.tryAcquire("k", 6);
          long full = 456_789;
          clock.setMicros(full);
          limiter.tryAcquire("k", limiter.peek("k").remaining());
          for (int permits = 1; permits <= 10; permits++) {
            clock.setMicros(full);
            long wait = retryMicros(limiter.tryAcquire("k", permits));
            clock.setMicros(full + wait - 1);
            assertThat(limiter.tryAcquire("k", permits).retryAfter()).isEqualTo(micros(1));
            clock.setMicros(full + wait);
            assertThat(limiter.peek("k").remaining()).isGreaterThanOrEqualTo(permits);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> nothingIsChargedAfterExactlyTheTimeItSays() {
    return onEveryAlgorithm(
        limiter -> {
          clock.setMicros(1_500_000);
          Duration resetAfter = limiter.tryAcquire("k", 7).resetAfter();
          assertThat(resetAfter).isBetween(Duration.ofMillis(250), Duration.ofSeconds(2));
          assertThat(limiter.tryAcquire("k", 5).resetAfter()).isEqualTo(resetAfter);

          clock.advance(resetAfter.minus(micros(1)));
          assertThat(limiter.peek("k").used()).isPositive();
          assertThat(limiter.peek("k").resetAfter()).isEqualTo(micros(1));
          clock.advanceMicros(1);
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(limiter.peek("k").resetAfter()).isZero();
          assertThat(spendAll(limiter, "k")).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> givesBack() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 10);
          Decision decision = limiter.refund("k", 3);
          assertThat(decision.allowed()).isTrue();
          assertThat(decision.used()).isEqualTo(7);
          assertThat(decision.remaining()).isEqualTo(3);
          assertThat(limiter.peek("k")).isEqualTo(decision);
          assertThat(spendAll(limiter, "k")).isEqualTo(3);
        });
  }

  @TestFactory
  Stream<DynamicTest> neverGivesBackMoreThanIsCharged() {
    return onEveryAlgorithm(
        limiter -> {
          assertThat(limiter.refund("k", 5).used()).isZero();
          limiter.tryAcquire("k", 2);
          assertThat(limiter.refund("k", 1_000_000_000).used()).isZero();
          assertThat(limiter.refund("k", 5).remaining()).isEqualTo(10);
          assertThat(limiter.peek("k").resetAfter()).isZero();
          assertThat(spendAll(limiter, "k")).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> givingNothingBackChangesNothing() {
    return onEveryAlgorithm(
        limiter -> {
          Decision spent = limiter.tryAcquire("k", 6);
          assertThat(limiter.refund("k", 0)).isEqualTo(spent);
          assertThat(limiter.peek("k")).isEqualTo(spent);
        });
  }

  @TestFactory
  Stream<DynamicTest> forgetsAKey() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.reset("never seen");
          clock.setMicros(700_000);
          limiter.tryAcquire("a", 10);
          limiter.tryAcquire("b", 10);
          limiter.reset("a");
          limiter.reset("a");
          assertThat(limiter.peek("a").used()).isZero();
          assertThat(limiter.peek("a").resetAfter()).isZero();
          assertThat(spendAll(limiter, "a")).isEqualTo(10);
          assertThat(limiter.tryAcquire("b").allowed()).isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> givesBackToWhereADecisionWasCharged() {
    return onEveryAlgorithm(
        limiter -> {
          Decision charged = limiter.tryAcquire("k", 8);
          assertThat(charged.source()).isEqualTo(Source.STORE);
          assertThat(limiter.refund("k", 3, charged).used()).isEqualTo(5);

          Decision denied = limiter.tryAcquire("k", 6);
          limiter.refund("k", 2, denied);
          assertThat(limiter.peek("k").used()).as("what was denied was not charged").isEqualTo(5);
        });
  }

  @TestFactory
  Stream<DynamicTest> givesNothingBackThatWasChargedElsewhere() {
    return onEveryAlgorithm(
        limiter -> {
          Decision charged = limiter.tryAcquire("k", 8);
          for (Source source : List.of(Source.LOCAL, Source.FAILURE_RULE, Source.DENY_CACHE)) {
            limiter.refund("k", 3, Decisions.withSource(charged, source));
            assertThat(limiter.peek("k")).as("%s", source).isEqualTo(charged);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> inspectingReportsTheUsageOfEachLimit() {
    return onEveryAlgorithm(
        limiter -> {
          Limit limit = limiter.policy().limits().get(0);
          Limit hourly = Limit.parse("20/1h fixed-window");
          RateLimiter both = limiter.withLimits(List.of(limit, hourly));
          both.tryAcquire("k", 4);
          limiter.tryAcquire("k", 2);

          Decision inspected = both.inspect("k");
          assertThat(inspected.usages())
              .extracting(LimitUsage::limit, LimitUsage::used)
              .containsExactly(tuple(limit, 6L), tuple(hourly, 4L));
          assertThat(inspected.usages()).allMatch(usage -> usage.records() > 0);
          assertThat(Usages.comparable(both.inspect("k"))).isEqualTo(Usages.comparable(inspected));
          assertThat(both.peek("k").usages()).isEmpty();
          assertThat(inspected.used()).isEqualTo(both.peek("k").used());
          assertThat(inspected.resetAfter()).isEqualTo(both.peek("k").resetAfter());

          assertThat(limiter.inspect("unknown").usages())
              .containsExactly(new LimitUsage(limit, 0, 0, Duration.ZERO, List.of()));
        });
  }

  @TestFactory
  Stream<DynamicTest> aLimiterForOneKeySharesItsState() {
    return onEveryAlgorithm(
        limiter -> {
          KeyLimiter one = limiter.forKey("k");
          assertThat(one.tryAcquire().used()).isOne();
          Decision charged = limiter.tryAcquire("k", 5);
          assertThat(one.peek()).isEqualTo(charged);
          assertThat(one.refund(2, charged).used()).isEqualTo(4);
          assertThat(one.tryAcquire(7).allowed()).isFalse();
          assertThat(one.charge(7).used()).isEqualTo(11);
          assertThat(limiter.peek("k").used()).isEqualTo(11);
          one.reset();
          assertThat(limiter.peek("k").used()).isZero();
          limiter.tryAcquire("k", 10);
          assertThat(one.tryAcquire().allowed()).isFalse();
          limiter.reset("k");
          assertThat(one.acquire(10, Duration.ZERO).allowed()).isTrue();
          assertThat(limiter.peek("other").used()).isZero();
        });
  }
}
