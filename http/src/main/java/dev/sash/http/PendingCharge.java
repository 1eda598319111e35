package dev.sash.http;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.ResolvedKey;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Charge} for one request.
 *
 * @param target the key to charge, with its limits
 * @param permits the cost of the request
 * @param unit what a permit is; null for a request
 * @param statuses the statuses that keep the charge; null for all
 */
record PendingCharge(
    ResolvedKey target, long permits, @Nullable String unit, @Nullable IntPredicate statuses)
    implements AllOrNothing.Part {
  private static final Logger LOG = LoggerFactory.getLogger(PendingCharge.class);

  @Override
  public String policy() {
    return target.policy().name();
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long howMany) {
    return target.tryAcquireAsync(howMany);
  }

  @Override
  public CompletionStage<Decision> refund(Decision charged) {
    return target.refundAsync(permits, charged);
  }

  /** Returns whether the charge stays after a response with this status. */
  boolean isKeptAfter(int status) {
    try {
      return statuses == null || statuses.test(status);
    } catch (RuntimeException e) {
      LOG.warn("Status condition of policy '{}' failed; the request stays charged", policy(), e);
      return true;
    }
  }

  PolicyDecision decided(Decision decision) {
    return new PolicyDecision(policy(), target.limits(), unit, target.key(), permits, decision);
  }
}
