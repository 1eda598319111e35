package dev.sash.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DenyCacheTest {
  private static final long SECOND = 1_000_000;

  private final FakeStore store = new FakeStore();
  private final DenyCache cache = new DenyCache(store, SECOND);

  @Test
  void cachesADenialUntilItEnds() {
    deny(2, 300_000, 100_000);

    store.time.addAndGet(199_999);
    Decision decision = acquire("k", 2);
    assertThat(decision.allowed()).isFalse();
    assertThat(decision.source()).isEqualTo(Source.DENY_CACHE);
    assertThat(decision.used()).isEqualTo(9);
    assertThat(decision.remaining()).isEqualTo(1);
    store.time.addAndGet(1);
    assertThat(isCached("k", 2)).as("300 ms after it was sent").isFalse();
  }

  @Test
  void countsWaitsFromTheTimeOfTheResponse() {
    deny(2, 300_000, 100_000);

    store.time.addAndGet(50_000);
    Decision decision = acquire("k", 2);
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofMillis(250));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(60).minusMillis(50));
  }

  @Test
  void deniesMoreButNotFewer() {
    deny(2, 300_000, 0);
    assertThat(isCached("k", 3)).isTrue();
    assertThat(isCached("k", 10)).isTrue();
    assertThat(isCached("k", 1)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"PEEK", "INSPECT", "CHARGE", "REFUND", "REFUND_LOCAL", "RESET"})
  void decidesAcquisitionsOnly(Operation operation) {
    deny(1, 300_000, 0);
    int asked = store.asked();

    assertThat(cache.decide(operation, FakeStore.LIMITS, "k", 5).source()).isEqualTo(Source.STORE);
    assertThat(store.asked()).isEqualTo(asked + 1);
  }

  @Test
  void cachesNothingForLongerThanItsAge() {
    deny(1, 60 * SECOND, 0);

    store.time.addAndGet(SECOND - 1);
    assertThat(isCached("k", 1)).isTrue();
    store.time.addAndGet(1);
    assertThat(isCached("k", 1)).isFalse();
  }

  @Test
  void cachesNothingOfOtherLimitsPoliciesAndKeys() {
    deny(1, 300_000, 0);
    store.answersWith(FakeStore.allowed(1));

    Policy higher = Policy.of("p", Limit.parse("11/1m"));
    assertThat(acquire(FakeStore.resolved(higher), "k").source()).isEqualTo(Source.STORE);
    Policy other = Policy.of("q", FakeStore.LIMIT);
    assertThat(acquire(FakeStore.resolved(other), "k").source()).isEqualTo(Source.STORE);
    for (int i = 0; i < 1_000; i++) {
      assertThat(acquire("k" + i, 1).source()).isEqualTo(Source.STORE);
    }
    Policy equal = Policy.of("p", Limit.parse("10/1m sliding-log"));
    assertThat(acquire(FakeStore.resolved(equal), "k").source()).isEqualTo(Source.DENY_CACHE);
  }

  @Test
  void whatIsNeverAllowedIsNeverAllowedFromTheCacheToo() {
    deny(2, 300_000, 0);
    int asked = store.asked();

    Decision decision = acquire("k", 11);
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.source()).isEqualTo(Source.DENY_CACHE);
    assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
    assertThat(store.asked()).isEqualTo(asked);
  }

  @Test
  void asksTheStoreIfAnotherLimitThanTheOneThatDeniedIsTooSmall() {
    Limit small = Limit.parse("5/1h");
    ResolvedLimits limits = FakeStore.resolved(Policy.of("p", FakeStore.LIMIT, small));
    store.answersWith(FakeStore.denied(300_000));
    cache.decide(Operation.ACQUIRE, limits, "k", 2);
    store.answersWith(Decisions.neverAllowed(small, 3, 2, 0, Source.STORE));

    Decision decision = cache.decide(Operation.ACQUIRE, limits, "k", 6);
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.source()).isEqualTo(Source.STORE);
    assertThat(cache.decide(Operation.ACQUIRE, limits, "k", 5).source())
        .as("a request that fits is still denied by the cache")
        .isEqualTo(Source.DENY_CACHE);
  }

  @Test
  void cachesOnlyDenialsOfTheStoreThatEnd() {
    for (Decision decision :
        new Decision[] {
          FakeStore.allowed(1),
          Decisions.neverAllowed(FakeStore.LIMIT, 3, 7, SECOND, Source.STORE),
          Decisions.withSource(FakeStore.denied(300_000), Source.LOCAL),
          Decisions.withSource(FakeStore.denied(300_000), Source.FAILURE_RULE),
        }) {
      store.answersWith(decision);
      assertThat(acquire("k", 1)).isEqualTo(decision);
      assertThat(acquire("k", 1)).as("asked again").isEqualTo(decision);
    }
    assertThat(store.asked()).isEqualTo(8);
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"REFUND", "REFUND_LOCAL", "RESET"})
  void forgetsADenialWhenSomethingIsGivenBack(Operation operation) {
    deny(1, 300_000, 0);
    assertThat(isCached("k", 1)).isTrue();

    cache.decide(operation, FakeStore.LIMITS, "k", 1);

    assertThat(isCached("k", 1)).isFalse();
  }

  @Test
  void doesNotBelieveADenialThatWasSentBeforeARefund() {
    CompletableFuture<Decision> reply = new CompletableFuture<>();
    store.answer = () -> reply;
    CompletableFuture<Decision> denied = acquireAsync("k");
    store.answersWith(FakeStore.allowed(1));
    cache.decide(Operation.REFUND, FakeStore.LIMITS, "k", 1);
    reply.complete(FakeStore.denied(300_000));

    assertThat(denied).isCompletedWithValueMatching(decision -> !decision.allowed());
    assertThat(isCached("k", 1)).isFalse();
  }

  @Test
  void doesNotBelieveADenialThatWasDecidedWhileARefundWasOnItsWay() {
    CompletableFuture<Decision> refund = new CompletableFuture<>();
    store.answer = () -> refund;
    var unused = cache.decideAsync(Operation.REFUND, FakeStore.LIMITS, "k", 1);
    deny(1, 300_000, 0);
    assertThat(isCached("k", 1)).as("the refund may not have been performed yet").isTrue();

    refund.complete(FakeStore.allowed(1));

    assertThat(isCached("k", 1)).isFalse();
  }

  @Test
  void aRefundThatFailsForgetsTheDenialToo() {
    deny(1, 300_000, 0);
    store.failsWith(Reason.UNAVAILABLE);
    assertThat(cache.decideAsync(Operation.REFUND, FakeStore.LIMITS, "k", 1).toCompletableFuture())
        .isCompletedExceptionally();

    assertThat(isCached("k", 1)).isFalse();
  }

  @Test
  void decidesAsynchronouslyToo() {
    store.answersWith(FakeStore.denied(300_000));
    assertThat(acquireAsync("k").join().source()).isEqualTo(Source.STORE);
    assertThat(acquireAsync("k").join().source()).isEqualTo(Source.DENY_CACHE);
    assertThat(store.asked()).isOne();
  }

  @Test
  void holdsABoundedNumberOfDenials() {
    store.answersWith(FakeStore.denied(SECOND));
    String filler = "x".repeat(1_000);
    int keys = 20_000;
    for (int i = 0; i < keys; i++) {
      acquire(filler + i, 1);
    }
    int cached = 0;
    for (int i = 0; i < keys; i++) {
      cached += isCached(filler + i, 1) ? 1 : 0;
    }
    // 8 MiB, of 160 bytes and two for each of a thousand characters.
    assertThat(cached).isBetween(1_000, 4_000);
  }

  @Test
  void refusesAnAgeBelowOne() {
    assertThatIllegalArgumentException().isThrownBy(() -> new DenyCache(store, 0));
  }

  private void deny(long permits, long retryAfterMicros, long tripMicros) {
    store.answer =
        () -> {
          store.time.addAndGet(tripMicros);
          return FakeStore.now(FakeStore.denied(retryAfterMicros));
        };
    acquire("k", permits);
  }

  /** Whether the store is not asked. It would not deny. */
  private boolean isCached(String key, long permits) {
    store.answersWith(FakeStore.allowed(1));
    return acquire(key, permits).source() == Source.DENY_CACHE;
  }

  private Decision acquire(String key, long permits) {
    return cache.decide(Operation.ACQUIRE, FakeStore.LIMITS, key, permits);
  }

  private Decision acquire(ResolvedLimits limits, String key) {
    return cache.decide(Operation.ACQUIRE, limits, key, 1);
  }

  private CompletableFuture<Decision> acquireAsync(String key) {
    return cache.decideAsync(Operation.ACQUIRE, FakeStore.LIMITS, key, 1).toCompletableFuture();
  }
}
