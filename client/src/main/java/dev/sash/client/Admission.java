package dev.sash.client;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Decides whether a call may be made now: not during a pause, and not without a permit. */
final class Admission {
  private static final Attempt WITHOUT_A_LIMIT = new Attempt(0, false, null);

  private final Pauses pauses;
  private final @Nullable RateLimiter limiter;

  /**
   * The result of one attempt.
   *
   * @param waitMicros 0 if the call may be made; otherwise the time until an attempt can succeed,
   *     {@link Long#MAX_VALUE} for never
   * @param isPaused whether the reason for the wait is a pause, and not the limit
   * @param decision the decision of the limiter, if there is one and the origin is not paused
   */
  record Attempt(long waitMicros, boolean isPaused, @Nullable Decision decision) {
    boolean isAdmitted() {
      return waitMicros == 0;
    }
  }

  Admission(Pauses pauses, @Nullable RateLimiter limiter) {
    this.pauses = pauses;
    this.limiter = limiter;
  }

  /** Spends a permit if there is no pause and it fits. */
  CompletionStage<Attempt> attempt(String origin) {
    return pauses
        .remainingMicros(origin)
        .thenCompose(
            micros ->
                micros > 0
                    ? CompletableFuture.completedFuture(new Attempt(micros, true, null))
                    : spend(origin));
  }

  private CompletionStage<Attempt> spend(String origin) {
    return limiter == null
        ? CompletableFuture.completedFuture(WITHOUT_A_LIMIT)
        : limiter
            .tryAcquireAsync(origin, 1)
            .thenApply(decision -> new Attempt(decision.retryAfterMicros(), false, decision));
  }

  /** Gives back what a successful attempt has spent, when no call is made after all. */
  void giveBack(String origin, Attempt attempt) {
    if (limiter != null && attempt.decision() != null) {
      var unused = limiter.refundAsync(origin, 1, attempt.decision());
    }
  }
}
