package dev.sash.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FailureRulesTest {
  private final FakeStore store = new FakeStore();
  private final List<InMemoryStore> fallbacks = new ArrayList<>();
  private final FailureRules rules = rules(1);

  private FailureRules rules(int nodes) {
    return new FailureRules(
        store,
        nodes,
        () -> {
          fallbacks.add(InMemoryStore.builder().clock(store.clock()).build());
          return fallbacks.get(fallbacks.size() - 1);
        });
  }

  private static Policy policy(FailureRule rule) {
    return FakeStore.POLICY.onFailure(rule);
  }

  @Test
  void theStoreDecidesAsLongAsItCan() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.CLOSED));

    assertThat(limiter.tryAcquire("k")).isEqualTo(FakeStore.allowed(1));
    assertThat(rules.decisions()).isZero();
    assertThat(fallbacks).as("created when it is needed").isEmpty();
  }

  @Test
  void openAdmitsWhatTheLimitsCouldEverAdmit() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules.limiter(policy(FailureRule.OPEN));

    for (int i = 0; i < 100; i++) {
      Decision decision = limiter.tryAcquire("k", 10);
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.source()).isEqualTo(Source.FAILURE_RULE);
    }
    assertThat(limiter.tryAcquire("k", 11).neverAllowed()).isTrue();
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
    assertThat(limiter.charge("k", 5).allowed()).isTrue();
    assertThat(rules.decisions()).isEqualTo(103);
    assertThat(fallbacks).isEmpty();
  }

  @Test
  void closedDeniesEverything() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules.limiter(policy(FailureRule.CLOSED));

    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(limiter.tryAcquire("k").neverAllowed()).isFalse();
    assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.FAILURE_RULE);
    assertThat(limiter.tryAcquire("k", 11).neverAllowed()).isTrue();
    assertThat(limiter.peek("k").allowed()).isFalse();
  }

  @Test
  void localDecidesByTheShareOfThisProcess() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules(3).limiter(policy(FailureRule.LOCAL));

    Decision first = limiter.tryAcquire("k", 3);
    assertThat(first.allowed()).isTrue();
    assertThat(first.source()).isEqualTo(Source.LOCAL);
    Decision denied = limiter.tryAcquire("k");
    assertThat(denied.allowed()).as("10 / 3, rounded down").isFalse();
    assertThat(denied.source()).isEqualTo(Source.LOCAL);
    assertThat(limiter.charge("k", 2).used()).isEqualTo(5);
    assertThat(limiter.peek("k").used()).isEqualTo(5);
    assertThat(fallbacks).hasSize(1);
  }

  @Test
  void localContinuesFromWhatTheStoreLastAnswered() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    store.answersWith(FakeStore.allowed(7));
    assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.STORE);

    store.failsWith(Reason.UNAVAILABLE);
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
    assertThat(limiter.tryAcquire("k", 2).remaining()).isEqualTo(1);
    assertThat(limiter.tryAcquire("k", 2).allowed()).as("one is left").isFalse();
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    Decision denied = limiter.tryAcquire("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.source()).isEqualTo(Source.LOCAL);
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(limiter.tryAcquire("k", 11).neverAllowed()).isTrue();
    assertThat(limiter.tryAcquire("other", 10).allowed()).as("nothing is known of it").isTrue();
  }

  @Test
  void whatTheStoreLastAnsweredExpires() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    store.answersWith(FakeStore.allowed(7));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    store.failsWith(Reason.UNAVAILABLE);

    store.time.set(59_999_999);
    assertThat(limiter.tryAcquire("k", 4).allowed()).isFalse();
    store.time.set(60_000_000);
    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void localAdmitsItsShareOfWhatWasLeft() {
    RateLimiter limiter = rules(3).limiter(policy(FailureRule.LOCAL));
    store.answersWith(FakeStore.allowed(2));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    store.failsWith(Reason.UNAVAILABLE);

    assertThat(limiter.tryAcquire("k", 2).allowed()).as("8 / 3, rounded down").isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void afterRecoveryWhatWasAdmittedLocallyStillCounts() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    store.answersWith(FakeStore.allowed(4));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    store.failsWith(Reason.UNAVAILABLE);
    assertThat(limiter.tryAcquire("k", 3).allowed()).isTrue();
    store.answersWith(FakeStore.allowed(5));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    store.failsWith(Reason.UNAVAILABLE);

    assertThat(limiter.tryAcquire("k", 3).allowed()).as("10 - 5 - 3 are left").isFalse();
    assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
  }

  @Test
  void whatACallerCancelsNoLongerCountsAsUnanswered() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    CompletableFuture<Decision> slow = new CompletableFuture<>();
    store.answer = () -> slow;
    assertThat(limiter.tryAcquireAsync("k", 8).toCompletableFuture().cancel(true)).isTrue();
    assertThat(limiter.resolve("k").tryAcquireAsync(8).toCompletableFuture().cancel(true)).isTrue();
    assertThat(limiter.forKey("k").tryAcquireAsync(8).toCompletableFuture().cancel(true)).isTrue();
    slow.complete(FakeStore.allowed(1));

    store.failsWith(Reason.UNAVAILABLE);
    assertThat(limiter.peek("k").used()).isEqualTo(1);
  }

  @Test
  void whatTheStoreMayStillGrantIsLeftAlone() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    CompletableFuture<Decision> slow = new CompletableFuture<>();
    store.answer = () -> slow;
    CompletableFuture<Decision> first = limiter.tryAcquireAsync("k", 8).toCompletableFuture();
    store.failsWith(Reason.UNAVAILABLE);

    Decision denied = limiter.tryAcquire("k", 3);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).as("the deadline").isEqualTo(Duration.ofSeconds(30));
    assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
    slow.completeExceptionally(new StoreException(Reason.UNAVAILABLE, "on purpose", null));
    assertThat(first.join().allowed()).as("8 are left, and nothing is on its way").isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void aResetForgetsWhatTheStoreLastAnswered() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    store.answersWith(FakeStore.allowed(7));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    limiter.reset("k");
    store.failsWith(Reason.UNAVAILABLE);

    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void theShareOfASmallLimitIsOne() {
    store.failsWith(Reason.UNAVAILABLE);
    Policy bucket = Policy.of("b", Limit.parse("2/1h token-bucket capacity=7"));
    RateLimiter limiter = rules(3).limiter(bucket);

    assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
    assertThat(limiter.tryAcquire("k").decidedBy())
        .isEqualTo(Limit.parse("1/1h token-bucket capacity=2"));
  }

  @Test
  void aLocalAdmissionIsRefundedToTheLocalFallbackOnly() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    Decision local = limiter.tryAcquire("k", 10);
    store.answersWith(FakeStore.allowed(1));
    store.calls.clear();

    Decision refunded = limiter.refund("k", 4, local);

    assertThat(store.calls).as("the store has recovered, but charged nothing").isEmpty();
    assertThat(refunded.source()).isEqualTo(Source.LOCAL);
    assertThat(refunded.used()).isEqualTo(6);
    store.failsWith(Reason.UNAVAILABLE);
    assertThat(limiter.tryAcquire("k", 4).allowed()).isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(limiter.refundAsync("k", 3, local).toCompletableFuture().join().used()).isEqualTo(7);
  }

  @Test
  void whatTheStoreChargedIsRefundedToTheStoreOrNowhere() {
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    Decision charged = limiter.tryAcquire("k", 1);
    store.failsWith(Reason.UNAVAILABLE);
    limiter.tryAcquire("k", 8);

    assertThat(limiter.refund("k", 1, charged).used()).as("1 there and 8 here").isEqualTo(9);
    store.answersWith(FakeStore.allowed(1));
    store.calls.clear();
    limiter.refund("k", 1, charged);
    assertThat(store.calls).containsExactly("REFUND k 1");
  }

  @Test
  void whatARuleLetThroughIsRefundedNowhere() {
    for (FailureRule rule : List.of(FailureRule.OPEN, FailureRule.CLOSED)) {
      store.failsWith(Reason.UNAVAILABLE);
      RateLimiter limiter = rules.limiter(policy(rule));
      Decision decision = limiter.tryAcquire("k", 3);
      store.answersWith(FakeStore.allowed(1));
      store.calls.clear();

      limiter.refund("k", 3, decision);
      assertThat(store.calls).as("of nothing").containsExactly("REFUND k 0");
    }
    assertThat(fallbacks).isEmpty();
  }

  @Test
  void resetsAndInspectionsHaveNoRule() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules.limiter(policy(FailureRule.OPEN));

    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limiter.reset("k"));
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> limiter.inspect("k"));
    assertThat(limiter.resetAsync("k").toCompletableFuture()).isCompletedExceptionally();
    assertThat(limiter.inspectAsync("k").toCompletableFuture()).isCompletedExceptionally();
    assertThat(rules.decisions()).isZero();
  }

  @Test
  void aResetResetsTheLocalFallbackToo() {
    store.failsWith(Reason.UNAVAILABLE);
    RateLimiter limiter = rules.limiter(policy(FailureRule.LOCAL));
    limiter.tryAcquire("k", 10);
    store.answersWith(FakeStore.allowed(1));
    limiter.reset("k");
    store.failsWith(Reason.UNAVAILABLE);

    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void everyReasonLetsTheRuleDecide() {
    for (Reason reason : Reason.values()) {
      store.failsWith(reason);
      assertThat(rules.limiter(policy(FailureRule.OPEN)).tryAcquire("k").source())
          .isEqualTo(Source.FAILURE_RULE);
    }
  }

  @Test
  void decidesTheSameAsynchronously() {
    store.failsWith(Reason.UNAVAILABLE);
    for (FailureRule rule : FailureRule.values()) {
      RateLimiter limiter = rules.limiter(policy(rule));
      Decision expected = limiter.peek("k");
      assertThat(limiter.tryAcquireAsync("k", 0).toCompletableFuture().join()).isEqualTo(expected);
    }
  }

  @Test
  void otherErrorsAreNotHidden() {
    IllegalStateException bug = new IllegalStateException("a bug");
    store.answer = () -> CompletableFuture.failedFuture(bug);

    assertThat(
            rules.limiter(policy(FailureRule.OPEN)).tryAcquireAsync("k", 1).toCompletableFuture())
        .isCompletedExceptionally()
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withCause(bug);
  }

  @Test
  void aFallbackThatCannotBeCreatedFailsTheStage() {
    FailureRules broken =
        new FailureRules(
            store,
            1,
            () -> {
              throw new IllegalStateException("no memory");
            });
    store.failsWith(Reason.UNAVAILABLE);

    assertThat(
            broken
                .decideAsync(Operation.REFUND_LOCAL, FakeStore.LIMITS, "k", 1)
                .toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(
            broken.decideAsync(Operation.ACQUIRE, FakeStore.LIMITS, "k", 1).toCompletableFuture())
        .isCompletedExceptionally();
  }

  @Test
  void closesTheStore() {
    rules.close();

    assertThat(store.isClosed).isTrue();
  }

  @Test
  void refusesNumbersOfNodesOutOfBounds() {
    for (int nodes : new int[] {0, -1, 1_000_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> rules(nodes))
          .withMessage("nodes must be between 1 and 1000000, was %d", nodes);
    }
  }
}
