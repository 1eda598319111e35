package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Limits that depend on the key, and limits that change while they are in force. */
public abstract class PolicyChangeContract extends StoreContract {
  private static final List<Limit> FREE = List.of(Limit.parse("3/1s"));
  private static final List<Limit> PRO = List.of(Limit.parse("30/1s"));
  private static final List<Limit> HOURLY = List.of(Limit.parse("5/1h"));

  /** For subclasses. */
  protected PolicyChangeContract() {}

  @TestFactory
  Stream<DynamicTest> aLowerLimitAppliesToWhatIsCharged() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 8);
          change(limiter, withPermits(limiter, 5));

          Decision peeked = limiter.peek("k");
          assertThat(peeked.allowed()).as("not even nothing fits").isFalse();
          assertThat(peeked.limit()).isEqualTo(5);
          assertThat(peeked.used()).isEqualTo(8);
          assertThat(peeked.remaining()).isZero();
          assertThat(limiter.tryAcquire("k", 6).neverAllowed()).isTrue();

          Decision denied = limiter.tryAcquire("k", 2);
          clock.advanceMicros(retryMicros(denied) - 1);
          assertThat(limiter.tryAcquire("k", 2).retryAfter()).isEqualTo(micros(1));
          clock.advanceMicros(1);
          assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
        });
  }

  @TestFactory
  Stream<DynamicTest> aHigherLimitFreesRoomAtOnce() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 10);
          change(limiter, withPermits(limiter, 25));

          assertThat(limiter.peek("k").limit()).isEqualTo(25);
          assertThat(limiter.peek("k").used()).isEqualTo(10);
          assertThat(spendAll(limiter, "k")).isEqualTo(15);
        });
  }

  @TestFactory
  Stream<DynamicTest> anotherWindowStartsFresh() {
    return onEveryAlgorithm(
        limiter -> {
          limiter.tryAcquire("k", 10);
          Limit old = limiter.policy().limits().get(0);
          change(limiter, Limit.parse(old.toString().replace("/1s", "/2s")));

          assertThat(limiter.peek("k").used()).isZero();
          assertThat(spendAll(limiter, "k")).isEqualTo(10);
        });
  }

  @TestFactory
  Stream<DynamicTest> anotherAlgorithmStartsFresh() {
    return onEveryAlgorithm(
        limiter -> {
          Limit old = limiter.policy().limits().get(0);
          for (String shorthand :
              List.of("7/1s", "7/1s cells=5", "7/1s sliding-counter", "7/1s token-bucket")) {
            Limit other = Limit.parse(shorthand);
            if (!other.sharesStateWith(old)) {
              limiter.tryAcquire("k", limiter.peek("k").remaining());
              change(limiter, other);
              assertThat(limiter.peek("k").used()).as(shorthand).isZero();
              assertThat(spendAll(limiter, "k")).isEqualTo(7);
            }
          }
        });
  }

  @Test
  void theChangeHoldsForEveryKeyAtOnce() {
    RateLimiter limiter = limiter("10/1s");
    for (int i = 0; i < 100; i++) {
      limiter.tryAcquire("k" + i, 4);
    }
    change(limiter, Limit.parse("5/1s"));
    for (int i = 0; i < 200; i++) {
      assertThat(spendAll(limiter, "k" + i)).isEqualTo(i < 100 ? 1 : 5);
    }
  }

  @Test
  void anAddedLimitStartsFreshAndTheOthersStay() {
    RateLimiter limiter = limiter("5/1s");
    limiter.tryAcquire("k", 4);
    change(limiter, Limit.parse("6/1m fixed-window"), Limit.parse("5/1s"));

    assertThat(limiter.peek("k").used()).isEqualTo(4);
    assertThat(limiter.tryAcquire("k", 2).allowed()).isFalse();
    assertThat(limiter.tryAcquire("k", 1).remaining()).isZero();
    clock.setMicros(1_000_000);
    assertThat(limiter.tryAcquire("k", 5).allowed()).isTrue();
    clock.setMicros(2_000_000);
    assertThat(limiter.tryAcquire("k", 1).decidedBy()).isEqualTo(Limit.parse("6/1m fixed-window"));
  }

  @Test
  void aRemovedLimitDecidesNoMore() {
    RateLimiter limiter = limiter("5/1s", "6/1m");
    limiter.tryAcquire("k", 4);
    clock.setMicros(1_000_000);
    limiter.tryAcquire("k", 2);
    assertThat(limiter.tryAcquire("k", 1).allowed()).isFalse();

    change(limiter, Limit.parse("5/1s"));
    assertThat(limiter.peek("k").used()).isEqualTo(2);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(micros(1_000_000));
    assertThat(spendAll(limiter, "k")).isEqualTo(3);
  }

  @Test
  void aChangedRefillAppliesFromTheChangeOn() {
    RateLimiter limiter = limiter("10/1s token-bucket");
    limiter.tryAcquire("k", 10);
    clock.setMicros(200_000); // 2 are refilled
    change(limiter, Limit.parse("20/1s token-bucket capacity=10"));

    assertThat(limiter.peek("k").used()).isEqualTo(8);
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(micros(400_000));
    clock.setMicros(300_000); // and 2 more
    assertThat(limiter.peek("k").used()).isEqualTo(6);
    change(limiter, Limit.parse("1/1s token-bucket capacity=10"));
    assertThat(limiter.peek("k").used()).isEqualTo(6);
    assertThat(limiter.tryAcquire("k", 5).retryAfter()).isEqualTo(micros(1_000_000));
  }

  @Test
  void aSlowerRefillTakesNothingBackThatWasRefilled() {
    RateLimiter limiter = limiter("10/1s token-bucket");
    limiter.tryAcquire("k", 10);
    clock.setMicros(1_000_000);
    change(limiter, Limit.parse("1/1s token-bucket capacity=10"));

    assertThat(limiter.peek("k").used()).isZero();
    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void aChangedRefillKeepsTheFractionOfAPermit() {
    RateLimiter limiter = limiter("3/1s token-bucket");
    limiter.tryAcquire("k", 3);
    clock.setMicros(100_000); // 0.3 are refilled
    change(limiter, Limit.parse("7/1s token-bucket capacity=3"));

    assertThat(retryMicros(limiter.tryAcquire("k"))).isEqualTo(100_000); // the other 0.7
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(micros(385_715)); // 2.7 / 7 s
  }

  @Test
  void aChangedCapacityIsNotAChangedRefill() {
    RateLimiter limiter = limiter("10/1s token-bucket");
    limiter.tryAcquire("k", 10);
    clock.setMicros(200_000);
    change(limiter, Limit.parse("10/1s token-bucket capacity=20"));
    assertThat(limiter.peek("k").remaining()).isEqualTo(12);

    clock.setMicros(100_000); // a peek under another capacity does not make a time the newest
    assertThat(limiter.peek("k").remaining()).isEqualTo(11);
  }

  @Test
  void returnsThePolicyInForce() {
    Policy first = policy().withLimits(FREE);
    Policy second = Policy.named(first.name()).withLimits(PRO);
    RateLimiter limiter = limiter(first);

    assertThat(limiter.policy()).isSameAs(first);
    assertThat(limiters().put(second)).isSameAs(limiter);
    assertThat(limiter.policy()).isSameAs(second);
    assertThat(limiters().get(first.name())).isSameAs(limiter);
  }

  @Test
  void refusesAPolicyWithoutLimitsAndKeepsTheOneInForce() {
    RateLimiter limiter = limiter("3/1s");
    Policy own = limiter.policy();
    limiter.tryAcquire("k", 2);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiters().put(Policy.named(own.name())))
        .withMessage("policy '%s' must have a limit", own.name());
    assertThatNullPointerException().isThrownBy(() -> limiters().put(nothing()));

    assertThat(limiter.policy()).isSameAs(own);
    assertThat(limiter.peek("k").used()).isEqualTo(2);
    assertThat(limiter.peek("k").remaining()).isOne();
  }

  @TestFactory
  Stream<DynamicTest> limitersOfOneNameShareTheirState() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter same = store().limiter(limiter.policy());
          RateLimiter less =
              store().limiter(Policy.of(limiter.policy().name(), withPermits(limiter, 5)));
          RateLimiter other = store().limiter(policy().withLimits(limiter.policy().limits()));

          limiter.tryAcquire("k", 4);
          assertThat(same.peek("k")).isEqualTo(limiter.peek("k"));
          assertThat(less.peek("k").used()).isEqualTo(4);
          assertThat(other.peek("k").used()).as("another name").isZero();
          assertThat(spendAll(less, "k")).isOne();
          assertThat(spendAll(same, "k")).isEqualTo(5);
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          same.reset("k");
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(less.peek("k").used()).isZero();
        });
  }

  @Test
  void refusesAPolicyWithoutALimit() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter(Policy.named("empty")))
        .withMessage("policy 'empty' must have a limit");
  }

  @Test
  void theLimitDependsOnTheKeysTier() {
    RateLimiter limiter =
        limiter(
            policy().withLimits(FREE).withTiers(key -> key.startsWith("pro:") ? PRO : List.of()));

    assertThat(spendAll(limiter, "free:1")).isEqualTo(3);
    assertThat(spendAll(limiter, "pro:1")).isEqualTo(30);
    assertThat(limiter.peek("pro:1").limit()).isEqualTo(30);
    assertThat(limiter.peek("free:2").limit()).isEqualTo(3);
  }

  @Test
  void aKeyThatMovesToAnotherTierKeepsWhatItHasSpent() {
    Map<String, List<Limit>> tiers = new ConcurrentHashMap<>();
    RateLimiter limiter = limiter(policy().withTiers(key -> tiers.getOrDefault(key, FREE)));

    assertThat(spendAll(limiter, "k")).isEqualTo(3);
    tiers.put("k", PRO);
    assertThat(limiter.peek("k").used()).isEqualTo(3);
    assertThat(spendAll(limiter, "k")).isEqualTo(27);
    tiers.put("k", FREE);
    assertThat(limiter.peek("k").used()).isEqualTo(30);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    tiers.put("k", HOURLY);
    assertThat(limiter.peek("k").used()).isZero();
    assertThat(spendAll(limiter, "k")).isEqualTo(5);
    assertThat(spendAll(limiter, "other")).isEqualTo(3);
  }

  @Test
  void aTierMayHaveSeveralLimits() {
    List<Limit> both = List.of(Limit.parse("3/1s"), Limit.parse("4/1m"));
    Map<String, List<Limit>> tiers = new ConcurrentHashMap<>();
    RateLimiter limiter = limiter(policy().withTiers(key -> tiers.getOrDefault(key, FREE)));
    limiter.tryAcquire("k", 2);

    tiers.put("k", both);
    assertThat(limiter.tryAcquire("k", 2).decidedBy()).isEqualTo(both.get(0));
    assertThat(limiter.tryAcquire("k").used()).isEqualTo(3);
    clock.setMicros(1_000_000);
    assertThat(limiter.tryAcquire("k", 3).remaining()).isZero();
    assertThat(limiter.tryAcquire("k").decidedBy()).isEqualTo(both.get(1));
    tiers.remove("k");
    assertThat(limiter.peek("k").used()).isEqualTo(3);
  }

  @Test
  void aKeyWithoutALimitIsRefusedNotUnlimited() {
    Map<String, List<Limit>> tiers = new ConcurrentHashMap<>();
    RateLimiter limiter = limiter(policy().withTiers(key -> tiers.getOrDefault(key, List.of())));

    assertThatIllegalStateException()
        .isThrownBy(() -> limiter.tryAcquire("k"))
        .withMessage("policy '%s' has no limit for this key's tier", limiter.policy().name());
    tiers.put("k", FREE);
    assertThat(limiter.peek("k").used()).isZero();
  }

  @TestFactory
  Stream<DynamicTest> limitsThatComeWithARequestCountWhatIsCharged() {
    return onEveryAlgorithm(
        limiter -> {
          Policy own = limiter.policy();
          RateLimiter less = limiter.withLimits(List.of(withPermits(limiter, 5)));
          RateLimiter more = limiter.withLimits(List.of(withPermits(limiter, 25)));
          limiter.tryAcquire("k", 4);

          assertThat(less.peek("k").limit()).isEqualTo(5);
          assertThat(less.peek("k").used()).isEqualTo(4);
          assertThat(spendAll(less, "k")).isOne();
          assertThat(limiter.peek("k").used()).as("charged here too").isEqualTo(5);
          assertThat(more.tryAcquire("k", 15).remaining()).isEqualTo(5);
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          assertThat(more.refund("k", 19).used()).isOne();
          assertThat(spendAll(limiter, "k")).isEqualTo(9);
          less.reset("k");
          assertThat(limiter.peek("k").used()).isZero();
          assertThat(limiter.policy()).isSameAs(own);
        });
  }

  @Test
  void limitsThatComeWithARequestHoldInPlaceOfTiers() {
    RateLimiter limiter = limiter(policy().withLimits(FREE).withTiers(key -> PRO));
    RateLimiter both = limiter.withLimits(List.of(Limit.parse("3/1s"), Limit.parse("4/1m")));

    assertThat(spendAll(both, "k")).isEqualTo(3);
    clock.setMicros(1_000_000);
    assertThat(spendAll(both, "k")).isOne();
    assertThat(both.withLimits(PRO).peek("k").limit()).as("those given last").isEqualTo(30);
    assertThat(both.policy().limits()).hasSize(2);
    assertThat(both.policy().isTiered()).isFalse();
    assertThat(both.policy().name()).isEqualTo(limiter.policy().name());
  }

  @Test
  void aChangedPolicyLeavesLimitsThatComeWithARequestAlone() {
    RateLimiter limiter = limiter("3/1s");
    RateLimiter given = limiter.withLimits(PRO);
    change(limiter, Limit.parse("5/1s"));

    assertThat(spendAll(limiter, "k")).isEqualTo(5);
    assertThat(spendAll(given, "k")).isEqualTo(25);
  }

  @Test
  void refusesToDecideUnderNoLimitOrUnderTwoThatDifferOnlyInPermits() {
    RateLimiter limiter = limiter("3/1s");
    String name = limiter.policy().name();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.withLimits(List.of()))
        .withMessage("policy '%s' must have a limit", name);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.withLimits(List.of(FREE.get(0), PRO.get(0))))
        .withMessageStartingWith("limits of policy '%s' must differ", name);
    assertThatNullPointerException().isThrownBy(() -> limiter.withLimits(nothing()));
  }

  private static Limit withPermits(RateLimiter limiter, long permits) {
    Limit limit = limiter.policy().limits().get(0).withPermits(permits);
    return limit.withCapacity(permits);
  }
}
