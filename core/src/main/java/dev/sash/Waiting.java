package dev.sash;

import dev.sash.internal.Bounds;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** {@link RateLimiter#acquire} and its async twin: ask, wait as told, ask again. */
final class Waiting {
  private final RateLimiter limiter;
  private final String key;
  private final long permits;
  private final long deadlineMicros;

  /** What an async request waits for at the moment. */
  private volatile CompletableFuture<Void> pause = CompletableFuture.completedFuture(null);

  private Waiting(RateLimiter limiter, String key, long permits, Duration maxWait) {
    if (Objects.requireNonNull(maxWait, "maxWait must not be null").isNegative()) {
      throw new IllegalArgumentException("maxWait must be 0 or more, was " + maxWait);
    }
    this.limiter = limiter;
    this.key = key;
    this.permits = permits;
    long now = Math.max(0, limiter.clock().micros());
    // Saturates: a wait that ends after the end of time is a wait without end.
    this.deadlineMicros = now + Math.min(Bounds.microsCeil(maxWait), Long.MAX_VALUE - now);
  }

  static Decision acquire(RateLimiter limiter, String key, long permits, Duration maxWait)
      throws InterruptedException {
    Waiting waiting = new Waiting(limiter, key, permits, maxWait);
    while (true) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted before spending");
      }
      Decision decision = limiter.tryAcquire(key, permits);
      if (waiting.isFinal(decision)) {
        return decision;
      }
      sleep(limiter.clock().after(Bounds.microsCeil(decision.retryAfter())));
    }
  }

  static CompletionStage<Decision> acquireAsync(
      RateLimiter limiter, String key, long permits, Duration maxWait) {
    CompletableFuture<Decision> result = new CompletableFuture<>();
    Waiting waiting = new Waiting(limiter, key, permits, maxWait);
    waiting.tryInto(result);
    var unused = result.whenComplete((decision, failure) -> waiting.pause.cancel(false));
    return result;
  }

  private void tryInto(CompletableFuture<Decision> result) {
    if (result.isDone()) {
      return; // cancelled while waiting
    }
    limiter
        .tryAcquireAsync(key, permits)
        .whenComplete((decision, failure) -> answer(result, decision, failure));
  }

  private void answer(
      CompletableFuture<Decision> result,
      @Nullable Decision decision,
      @Nullable Throwable failure) {
    if (decision == null) {
      result.completeExceptionally(Objects.requireNonNull(failure));
    } else if (!isFinal(decision)) {
      pauseAndTryAgain(result, Bounds.microsCeil(decision.retryAfter()));
    } else if (!result.complete(decision) && decision.allowed()) {
      var unused = limiter.refundAsync(key, permits); // cancelled at the last moment
    }
  }

  private void pauseAndTryAgain(CompletableFuture<Decision> result, long micros) {
    pause = limiter.clock().after(micros);
    if (result.isDone()) {
      pause.cancel(false); // cancelled meanwhile
    }
    var unused =
        pause
            .thenRunAsync(() -> tryInto(result))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  }
                });
  }

  private boolean isFinal(Decision decision) {
    return decision.allowed()
        || decision.neverAllowed()
        || Bounds.microsCeil(decision.retryAfter()) > deadlineMicros - limiter.clock().micros();
  }

  private static void sleep(CompletableFuture<Void> pause) throws InterruptedException {
    try {
      pause.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the clock failed to wait", e.getCause());
    } finally {
      pause.cancel(false);
    }
  }
}
