package dev.sash.http;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Charge} for one request.
 *
 * @param limiter is asked
 * @param key for whom
 * @param permits how many
 * @param unit what a permit is; null for a request
 * @param statuses the statuses that keep the charge; null for all
 */
record Asking(
    RateLimiter limiter,
    String key,
    long permits,
    @Nullable String unit,
    @Nullable IntPredicate statuses) {

  /** Asks for that many permits: all of them, or 0 to look. */
  CompletableFuture<Decision> ask(long howMany) {
    return future(() -> limiter.tryAcquireAsync(key, howMany));
  }

  CompletableFuture<Decision> giveBack() {
    return future(() -> limiter.refundAsync(key, permits));
  }

  /** A limiter that throws at once has failed like one that fails later. */
  private static CompletableFuture<Decision> future(Supplier<CompletionStage<Decision>> call) {
    try {
      return call.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  PolicyDecision answered(Decision decision) {
    var policy = limiter.policy();
    return new PolicyDecision(policy.name(), policy.limitsFor(key), unit, key, permits, decision);
  }
}
