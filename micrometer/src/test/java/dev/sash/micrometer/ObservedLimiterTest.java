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

class ObservedLimiterTest {
  private final Observations seen = new Observations();
  private final ToldLimiter told = new ToldLimiter();
  private final RateLimiter limiter =
      new SashMeters(new SimpleMeterRegistry(), seen.registry()).instrument(told);

  @Test
  void observesADecision() {
    told.answer = CompletableFuture.completedFuture(ToldLimiter.denied(Source.DENY_CACHE));
    assertThat(limiter.tryAcquire("a")).isEqualTo(ToldLimiter.denied(Source.DENY_CACHE));

    Observation.Context context = seen.only();
    assertThat(context.getName()).isEqualTo("sash.acquire");
    assertThat(context.getContextualName()).isEqualTo("sash acquire told");
    assertThat(context.getError()).isNull();
    assertThat(context.getHighCardinalityKeyValues()).isEmpty();
    assertThat(Observations.keysOf(context))
        .isEqualTo(Map.of("policy", "told", "outcome", "denied", "source", "deny_cache"));
  }

  @Test
  void observesAnAsynchronousDecisionUntilItIsThere() {
    CompletableFuture<Decision> answer = limiter.tryAcquireAsync("a", 1).toCompletableFuture();
    assertThat(seen.started()).hasSize(1);
    assertThat(seen.stopped()).isEmpty();
    told.answer.complete(ToldLimiter.allowed(Source.STORE));

    assertThat(answer).isCompletedWithValue(ToldLimiter.allowed(Source.STORE));
    assertThat(seen.only().getName()).isEqualTo("sash.acquire");
    assertThat(Observations.keysOf(seen.only()))
        .isEqualTo(Map.of("policy", "told", "outcome", "allowed", "source", "store"));
  }

  @Test
  void observesEveryCallOfTheStore() {
    told.answer = CompletableFuture.completedFuture(ToldLimiter.allowed(Source.STORE));
    limiter.peek("a");
    limiter.tryAcquireAsync("a", 0).toCompletableFuture().join();
    limiter.refund("a", 1);
    limiter.refundAsync("a", 1).toCompletableFuture().join();
    limiter.reset("a");
    limiter.resetAsync("a").toCompletableFuture().join();
    limiter.under(List.of(ToldLimiter.LIMIT)).tryAcquire("a");

    assertThat(seen.stopped())
        .extracting(Observation.Context::getName)
        .containsExactly(
            "sash.peek",
            "sash.peek",
            "sash.refund",
            "sash.refund",
            "sash.reset",
            "sash.reset",
            "sash.acquire");
    assertThat(seen.stopped().subList(4, 6))
        .extracting(Observations::keysOf)
        .containsOnly(Map.of("policy", "told"));
  }

  @Test
  void isAChildOfWhatIsObservedByTheCaller() {
    told.answer = CompletableFuture.completedFuture(ToldLimiter.allowed(Source.STORE));
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
    told.answer = CompletableFuture.completedFuture(ToldLimiter.allowed(Source.STORE));
    List<Runnable> calls =
        List.of(
            () -> limiter.tryAcquire("a"),
            () -> limiter.tryAcquireAsync("a", 1).toCompletableFuture().join(),
            () -> limiter.reset("a"),
            () -> limiter.resetAsync("a").toCompletableFuture().join());
    AtomicReference<Observation> current = new AtomicReference<>();
    told.inCall = () -> current.set(seen.registry().getCurrentObservation());
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
    told.answer.complete(ToldLimiter.allowed(Source.STORE));

    assertThat(dependent).isCompleted();
    assertThat(seen.stopped()).hasSize(1);
    assertThat(current.get()).isNull();
  }

  @Test
  void recordsTheErrorOfAFailedCall() {
    IllegalStateException away = new IllegalStateException("away");
    told.answer = CompletableFuture.failedFuture(away);
    assertThatThrownBy(() -> limiter.tryAcquire("a")).isSameAs(away);
    assertThat(limiter.tryAcquireAsync("a", 1)).isCompletedExceptionally();
    assertThatThrownBy(() -> limiter.reset("a")).isSameAs(away);
    assertThat(limiter.resetAsync("a")).isCompletedExceptionally();

    assertThat(seen.stopped()).hasSize(4).allMatch(context -> context.getError() == away);
    assertThat(seen.stopped().subList(0, 2))
        .extracting(Observations::keysOf)
        .containsOnly(Map.of("policy", "told", "outcome", "none", "source", "none"));
  }

  @Test
  void recordsTheErrorOfACallThatNeverBegan() {
    IllegalArgumentException bad = new IllegalArgumentException("bad");
    told.inCall =
        () -> {
          throw bad;
        };
    assertThatThrownBy(() -> limiter.tryAcquireAsync("a", 1)).isSameAs(bad);
    assertThatThrownBy(() -> limiter.resetAsync("a")).isSameAs(bad);

    assertThat(seen.stopped()).hasSize(2).allMatch(context -> context.getError() == bad);
    assertThat(seen.registry().getCurrentObservation()).isNull();
  }

  @Test
  void aRegistryMayGetItsHandlersLater() {
    ObservationRegistry registry = ObservationRegistry.create();
    RateLimiter early = new SashMeters(new SimpleMeterRegistry(), registry).instrument(told);
    told.answer = CompletableFuture.completedFuture(ToldLimiter.allowed(Source.STORE));
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
    RateLimiter plain = new SashMeters(new SimpleMeterRegistry()).instrument(told);

    assertThat(plain).isInstanceOf(MeteredLimiter.class);
    assertThat(limiter).isInstanceOf(ObservedLimiter.class);
  }
}
