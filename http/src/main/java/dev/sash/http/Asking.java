package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Charge} for one request.
 *
 * @param limiter is asked
 * @param limits the limiter's for this key, found before anything is charged
 * @param key for whom
 * @param permits how many
 * @param unit what a permit is; null for a request
 * @param statuses the statuses that keep the charge; null for all
 */
record Asking(
    RateLimiter limiter,
    List<Limit> limits,
    String key,
    long permits,
    @Nullable String unit,
    @Nullable IntPredicate statuses) {
  private static final Logger LOG = LoggerFactory.getLogger(Asking.class);

  /** Asks for that many permits: all of them, or 0 to look. */
  CompletableFuture<Decision> ask(long howMany) {
    return future(() -> limiter.tryAcquireAsync(key, howMany));
  }

  /**
   * Gives back what a decision charged; completes with the state afterwards, or with that decision
   * if nothing could be given back.
   *
   * <p>A failure rule admits without charging anybody. To give that back to a store which has
   * recovered meanwhile would forgive what others have spent.
   */
  CompletableFuture<Decision> giveBack(Decision charged) {
    if (permits == 0 || charged.source() == Decision.Source.FAILURE_RULE) {
      return CompletableFuture.completedFuture(charged);
    }
    return future(() -> limiter.refundAsync(key, permits))
        .handle(
            (after, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "policy '{}' could not be given back {} permits", name(), permits, failure);
              }
              return after != null && after.allowed() ? after : charged;
            });
  }

  /** Whether the charge stays after a response with this status. */
  boolean isKeptAfter(int status) {
    try {
      return statuses == null || statuses.test(status);
    } catch (RuntimeException e) {
      LOG.warn("policy '{}' keeps a charge: its condition on the status failed", name(), e);
      return true;
    }
  }

  private String name() {
    return limiter.policy().name();
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
    return new PolicyDecision(name(), limits, unit, key, permits, decision);
  }
}
