package dev.sash.http;

import dev.sash.Decision;
import dev.sash.ResolvedKey;
import dev.sash.http.internal.WaitingCharge;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Charge} for one request.
 *
 * @param target the key to charge, with its limits
 * @param permits the cost of the request
 * @param unit what a permit is; null for a request
 * @param kept decides whether the charge is kept after the response; null for always
 * @param isBinding whether the request is denied if it does not fit
 * @param maxWait how long the request may wait for permits; null if it is denied at once
 */
record PendingCharge(
    ResolvedKey target,
    long permits,
    @Nullable String unit,
    @Nullable Condition kept,
    boolean isBinding,
    @Nullable MaxWait maxWait)
    implements WaitingCharge {
  /** Decides whether a charge is kept after the response. */
  @FunctionalInterface
  interface Condition {
    /**
     * Returns whether the charge is kept.
     *
     * @param status the status of the response
     * @param loginFailed whether the request tried to log in and failed
     */
    boolean test(int status, boolean loginFailed);
  }

  /**
   * Bounds on waiting for permits of one policy.
   *
   * @param micros the longest time for a request to wait
   * @param maxWaiting the number of requests that may wait at the same time
   */
  record MaxWait(long micros, int maxWaiting) {}

  private static final Logger LOG = LoggerFactory.getLogger(PendingCharge.class);

  @Override
  public String policy() {
    return target.policy().name();
  }

  @Override
  public long maxWaitMicros() {
    return maxWait == null ? 0 : maxWait.micros();
  }

  @Override
  public int maxWaiting() {
    return maxWait == null ? 0 : maxWait.maxWaiting();
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long howMany) {
    return target.tryAcquireAsync(howMany);
  }

  @Override
  public CompletionStage<Decision> refund(Decision charged) {
    return target.refundAsync(permits, charged);
  }

  /** Charges the permits whether they fit or not. A failure is logged. */
  void charge() {
    var unused =
        target
            .chargeAsync(permits)
            .whenComplete(
                (charged, failure) -> {
                  if (failure != null) {
                    LOG.warn(
                        "Charge of {} permits to policy '{}' failed", permits, policy(), failure);
                  }
                });
  }

  boolean isForFailedLogin() {
    return Charge.FAILED_LOGIN.equals(kept);
  }

  /** Returns whether the charge stays after the response. */
  boolean isKeptAfter(int status, boolean loginFailed) {
    try {
      return kept == null || kept.test(status, loginFailed);
    } catch (RuntimeException e) {
      LOG.warn("Status condition of policy '{}' failed; the request stays charged", policy(), e);
      return true;
    }
  }

  PolicyDecision decided(Decision decision) {
    return new PolicyDecision(policy(), target.limits(), unit, target.key(), permits, decision);
  }
}
