package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
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
    @Nullable IntPredicate statuses)
    implements AllOrNothing.Part {
  private static final Logger LOG = LoggerFactory.getLogger(Asking.class);

  @Override
  public String policy() {
    return limiter.policy().name();
  }

  @Override
  public CompletionStage<Decision> ask(long howMany) {
    return limiter.tryAcquireAsync(key, howMany);
  }

  @Override
  public CompletionStage<Decision> refund() {
    return limiter.refundAsync(key, permits);
  }

  /** Whether the charge stays after a response with this status. */
  boolean isKeptAfter(int status) {
    try {
      return statuses == null || statuses.test(status);
    } catch (RuntimeException e) {
      LOG.warn("policy '{}' keeps a charge: its condition on the status failed", policy(), e);
      return true;
    }
  }

  PolicyDecision answered(Decision decision) {
    return new PolicyDecision(policy(), limits, unit, key, permits, decision);
  }
}
