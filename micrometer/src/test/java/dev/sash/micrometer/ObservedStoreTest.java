package dev.sash.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.RateLimiter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ObservedStoreTest {
  private final Observations seen = new Observations();
  private final StubStore stub = new StubStore();
  private final SashMeters meters = new SashMeters(new SimpleMeterRegistry(), seen.registry());
  private final RateLimiter limiter = stub.limiter(meters);

  @Test
  void observesADecision() {
    stub.returns(StubStore.denied(Source.DENY_CACHE));
    assertThat(limiter.tryAcquire("a")).isEqualTo(StubStore.denied(Source.DENY_CACHE));

    Observation.Context context = seen.only();
    assertThat(context.getName()).isEqualTo("sash.acquire");
    assertThat(context.getContextualName()).isEqualTo("sash acquire stub");
    assertThat(context.getError()).isNull();
    assertThat(context.getHighCardinalityKeyValues()).isEmpty();
    assertThat(Observations.keysOf(context))
        .isEqualTo(Map.of("policy", "stub", "outcome", "denied", "source", "deny_cache"));
  }

  @Test
  void observesAnAsynchronousDecisionUntilItIsThere() {
    CompletableFuture<Decision> answer = limiter.tryAcquireAsync("a", 1).toCompletableFuture();
    assertThat(seen.started()).hasSize(1);
    assertThat(seen.stopped()).isEmpty();
    stub.result.complete(StubStore.allowed(Source.STORE));

    assertThat(answer).isCompletedWithValue(StubStore.allowed(Source.STORE));
    assertThat(seen.only().getName()).isEqualTo("sash.acquire");
    assertThat(Observations.keysOf(seen.only()))
        .isEqualTo(Map.of("policy", "stub", "outcome", "allowed", "source", "store"));
  }

  @Test
  void observesEveryCallOfTheStore() {
    Decision allowed = StubStore.allowed(Source.STORE);
    stub.returns(allowed);
    limiter.peek("a");
    limiter.tryAcquireAsync("a", 0).toCompletableFuture().join();
    limiter.refund("a", 1);
    limiter.refundAsync("a", 1).toCompletableFuture().join();
    limiter.refund("a", 1, StubStore.allowed(Source.LOCAL));
    limiter.charge("a", 1);
    limiter.inspect("a");
    limiter.withLimits(List.of(StubStore.LIMIT)).tryAcquire("a");
    limiter.forKey("a").tryAcquire();
    limiter.resolve("a").tryAcquire(1);
    limiter.reset("a");
    limiter.resetAsync("a").toCompletableFuture().join();

    assertThat(seen.stopped())
        .extracting(Observation.Context::getName)
        .containsExactly(
            "sash.peek",
            "sash.peek",
            "sash.refund",
            "sash.refund",
            "sash.refund",
            "sash.charge",
            "sash.inspect",
            "sash.acquire",
            "sash.acquire",
            "sash.acquire",
            "sash.reset",
            "sash.reset");
    assertThat(seen.stopped().subList(0, 10))
        .extracting(Observations::keysOf)
        .containsOnly(Map.of("policy", "stub", "outcome", "allowed", "source", "store"));
    assertThat(seen.stopped().subList(10, 12))
        .extracting(Observations::keysOf)
        .containsOnly(Map.of("policy", "stub"));
  }

  @Test
  void isAChildOfWhatIsObservedByTheCaller() {
    stub.returns(StubStore.allowed(Source.STORE));
    Observation request = Observation.start("request", seen.registry());
    request.scoped(
        () -> {
          limiter.tryAcquire("a");
          limiter.tryAcquireAsync("a", 1).toCompletableFuture().join();
          assertThat(seen.registry().getCurrentObservation()).isSameAs(request);
        });
    request.stop();

    assertThat(seen.stopped()).hasSize(3);
    for (Observation.Context context : seen.stopped().subList(0, 2)) {
      assertThat(context.getParentObservation()).isSameAs(request);
    }
  }

  @Test
  void theStoreIsCalledInItsScope() {
    stub.returns(StubStore.allowed(Source.STORE));
    List<Runnable> calls =
        List.of(
            () -> limiter.tryAcquire("a"),
            () -> limiter.tryAcquireAsync("a", 1).toCompletableFuture().join(),
            () -> limiter.reset("a"),
            () -> limiter.resetAsync("a").toCompletableFuture().join());
    AtomicReference<Observation> current = new AtomicReference<>();
    stub.inCall = () -> current.set(seen.registry().getCurrentObservation());
    for (Runnable call : calls) {
      current.set(null);
      call.run();
      Observation.Context last = seen.stopped().get(seen.stopped().size() - 1);
      assertThat(current.get().getContext()).isSameAs(last);
    }
  }

  @Test
  void whatDependsOnAnAsynchronousAnswerIsOutsideItsScope() {
    AtomicReference<Observation> current = new AtomicReference<>();
    CompletableFuture<Void> dependent =
        limiter
            .tryAcquireAsync("a", 1)
            .thenAccept(decision -> current.set(seen.registry().getCurrentObservation()))
            .toCompletableFuture();
    assertThat(seen.registry().getCurrentObservation()).isNull();
    stub.result.complete(StubStore.allowed(Source.STORE));

    assertThat(dependent).isCompleted();
    assertThat(seen.stopped()).hasSize(1);
    assertThat(current.get()).isNull();
  }

  @Test
  void recordsTheErrorOfAFailedCall() {
    IllegalStateException away = new IllegalStateException("away");
    stub.result = CompletableFuture.failedFuture(away);
    assertThatThrownBy(() -> limiter.tryAcquire("a")).isSameAs(away);
    assertThat(limiter.tryAcquireAsync("a", 1)).isCompletedExceptionally();
    assertThatThrownBy(() -> limiter.reset("a")).isSameAs(away);
    assertThat(limiter.resetAsync("a")).isCompletedExceptionally();

    assertThat(seen.stopped()).hasSize(4).allMatch(context -> context.getError() == away);
    assertThat(seen.stopped().subList(0, 2))
        .extracting(Observations::keysOf)
        .containsOnly(Map.of("policy", "stub", "outcome", "none", "source", "none"));
  }

  @Test
  void aRegistryMayGetItsHandlersLater() {
    ObservationRegistry registry = ObservationRegistry.create();
    RateLimiter early = stub.limiter(new SashMeters(new SimpleMeterRegistry(), registry));
    stub.returns(StubStore.allowed(Source.STORE));
    assertThat(early.tryAcquire("a").allowed()).isTrue();
    assertThat(early.tryAcquireAsync("a", 1)).isCompletedWithValueMatching(Decision::allowed);
    early.reset("a");
    assertThat(early.resetAsync("a")).isCompleted();
    registry.observationConfig().observationHandler(seen);
    early.tryAcquire("a");

    assertThat(seen.only().getName()).isEqualTo("sash.acquire");
  }

  @Test
  void aRegistryThatObservesNothingCostsNothing() {
    assertThat(new SashMeters(new SimpleMeterRegistry()).instrument(stub))
        .isInstanceOf(MeteredStore.class);
    assertThat(meters.instrument(stub)).isInstanceOf(ObservedStore.class);
  }

  @Test
  void metersOfAPolicyAreRegisteredWithItsLimiter() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    stub.limiter(new SashMeters(registry, seen.registry()));

    assertThat(registry.get("sash.fallbacks").tag("policy", "stub").counter().count()).isZero();
  }
}
