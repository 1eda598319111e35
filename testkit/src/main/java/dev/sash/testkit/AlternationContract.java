package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Requests for one key under different kinds of limits: none reads, changes or erases the state of
 * another, so that alternating between them gives no more than each of them gives alone.
 */
public abstract class AlternationContract extends StoreContract {
  /** For subclasses. */
  protected AlternationContract() {}

  @TestFactory
  Stream<DynamicTest> alternatingBetweenWindowsGivesNoMoreThanEachAlone() {
    return onEveryAlgorithm(
        limiter -> {
          Limit limit = limiter.policy().limits().get(0);
          RateLimiter slower = limiter.withLimits(List.of(inWindow(limit, "2s")));
          int admitted = 0;
          int admittedBySlower = 0;
          for (int i = 0; i < 100; i++) {
            admitted += limiter.tryAcquire("k").allowed() ? 1 : 0;
            admittedBySlower += slower.tryAcquire("k").allowed() ? 1 : 0;
          }
          assertThat(admitted).isEqualTo(10);
          assertThat(admittedBySlower).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> alternatingBetweenAlgorithmsGivesNoMoreThanEachAlone() {
    return onEveryAlgorithm(
        limiter -> {
          Limit limit = limiter.policy().limits().get(0);
          List<RateLimiter> others =
              Stream.of("7/1s", "7/1s cells=5", "7/1s sliding-counter", "7/1s token-bucket")
                  .map(Limit::parse)
                  .filter(other -> !other.sharesStateWith(limit))
                  .map(other -> limiter.withLimits(List.of(other)))
                  .toList();
          for (int i = 1; i <= 10; i++) {
            assertThat(limiter.tryAcquire("k").used()).isEqualTo(i);
            for (RateLimiter other : others) {
              assertThat(other.tryAcquire("k").used()).isEqualTo(Math.min(i, 7));
            }
          }
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  @TestFactory
  Stream<DynamicTest> peekingUnderOtherLimitsChangesNothing() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter other = limiter.withLimits(List.of(Limit.parse("3/1h")));
          RateLimiter several =
              limiter.withLimits(List.of(Limit.parse("3/1h"), Limit.parse("4/1d fixed-window")));
          Decision spent = limiter.tryAcquire("k", 6);

          assertThat(other.peek("k").used()).isZero();
          assertThat(several.peek("k").used()).isZero();
          assertThat(other.tryAcquire("k", 4).neverAllowed()).isTrue();
          other.refund("k", 5);
          several.refund("k", 5);
          assertThat(limiter.peek("k")).isEqualTo(spent);
          assertThat(spendAll(limiter, "k")).isEqualTo(4);
        });
  }

  @TestFactory
  Stream<DynamicTest> resettingAndRefundingUnderOneKindLeavesTheOthers() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter other = limiter.withLimits(List.of(Limit.parse("3/1h")));
          RateLimiter third = limiter.withLimits(List.of(Limit.parse("4/1d fixed-window")));
          limiter.tryAcquire("k", 6);
          other.tryAcquire("k", 3);
          third.tryAcquire("k", 2);

          other.refund("k", 2);
          assertThat(limiter.peek("k").used()).isEqualTo(6);
          assertThat(third.peek("k").used()).isEqualTo(2);
          other.reset("k");
          assertThat(other.peek("k").used()).isZero();
          assertThat(limiter.peek("k").used()).isEqualTo(6);
          assertThat(third.peek("k").used()).isEqualTo(2);
          limiter.reset("k");
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(third.peek("k").used()).isEqualTo(2);
        });
  }

  @TestFactory
  Stream<DynamicTest> oneKindsTimeIsNotAnothers() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter other = limiter.withLimits(List.of(Limit.parse("3/1h")));
          clock.setMicros(100_000_000);
          other.tryAcquire("k");
          clock.setMicros(50_000_000);
          limiter.tryAcquire("k", 10);
          clock.setMicros(55_000_000);
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(other.peek("k").resetAfter()).isEqualTo(Duration.ofHours(1));
        });
  }

  @Test
  void aSetOfLimitsFindsWhatItsLimitsHaveCharged() {
    Limit secondly = Limit.parse("5/1s");
    Limit minutely = Limit.parse("8/1m");
    Limit hourly = Limit.parse("20/1h token-bucket");
    RateLimiter limiter = limiter(policy().withLimit(secondly));
    RateLimiter both = limiter.withLimits(List.of(minutely, secondly));
    RateLimiter others = limiter.withLimits(List.of(hourly, minutely));

    assertThat(limiter.tryAcquire("k", 2).remaining()).isEqualTo(3);
    assertThat(both.tryAcquire("k", 3).remaining()).isZero();
    assertThat(others.tryAcquire("k", 5).remaining()).isZero();
    assertThat(both.tryAcquire("k").decidedBy()).isEqualTo(minutely);
    clock.setMicros(1_000_000);
    assertThat(limiter.tryAcquire("k", 5).allowed()).isTrue();
    assertThat(both.peek("k").used()).isEqualTo(8);
    assertThat(others.peek("k").used()).isEqualTo(8);
    assertThat(limiter.withLimits(List.of(hourly)).peek("k").used()).isEqualTo(5);
  }

  @Test
  void aDenialByOneOfASetChargesNoneOfIt() {
    Limit small = Limit.parse("1/1s");
    Limit large = Limit.parse("100/1h");
    RateLimiter limiter = limiter(policy().withLimit(small).withLimit(large));
    limiter.tryAcquire("k");
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      assertThat(limiter.withLimits(List.of(large)).tryAcquire("k").used()).isEqualTo(2 + i);
    }
  }

  @Test
  void tiersThatComeBackRememberWhatWasSpent() {
    List<Limit> free = List.of(Limit.parse("3/1m"));
    List<Limit> pro = List.of(Limit.parse("9/1h"));
    Map<String, List<Limit>> tiers = new ConcurrentHashMap<>(Map.of("k", free));
    RateLimiter limiter = limiter(policy().withTiers(key -> tiers.getOrDefault(key, free)));
    int admitted = 0;
    for (int i = 0; i < 100; i++) {
      tiers.put("k", i % 2 == 0 ? free : pro);
      admitted += limiter.tryAcquire("k").allowed() ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(3 + 9);
  }

  @Test
  void aPolicyThatIsChangedAndChangedBackRemembersWhatWasSpent() {
    RateLimiter limiter = limiter("3/1m");
    Policy own = limiter.policy();
    assertThat(spendAll(limiter, "k")).isEqualTo(3);
    change(limiter, Limit.parse("5/1h sliding-counter"));
    assertThat(spendAll(limiter, "k")).isEqualTo(5);

    limiters().put(own);

    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.advance(Duration.ofMinutes(1));
    assertThat(spendAll(limiter, "k")).isEqualTo(3);
  }

  private static Limit inWindow(Limit limit, String window) {
    return Limit.parse(limit.toString().replace("/1s", "/" + window));
  }
}
