package dev.sash;

import dev.sash.internal.Bounds;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A key with the limits that apply to it, as {@link RateLimiter#resolve} returns them: for one
 * request that decides, reports its limits and may be refunded. The tiers of the policy are
 * consulted once, and a refund goes to the limits that were charged, even if the key's tier or the
 * policy has changed meanwhile.
 *
 * <pre>{@code
 * ResolvedKey ann = limiter.resolve("user:ann");
 * Decision decision = ann.tryAcquire(3);
 * report(decision, ann.limits());
 * }</pre>
 *
 * <p>To keep a key for longer than a request, use {@link RateLimiter#forKey}, which follows changes
 * of the limits. Immutable and thread-safe.
 */
public final class ResolvedKey {
  private final Store store;
  private final ResolvedLimits limits;
  private final String key;

  ResolvedKey(Store store, ResolvedLimits limits, String key) {
    this.store = store;
    this.limits = limits;
    this.key = key;
  }

  /**
   * Returns the key.
   *
   * @return the key; may be personal data, keep it out of logs and metric labels
   */
  public String key() {
    return key;
  }

  /**
   * Returns the policy that was in force when the key was resolved.
   *
   * @return the policy; its own limits may differ from {@link #limits}
   */
  public Policy policy() {
    return limits.policy();
  }

  /**
   * Returns the limits that apply to the key.
   *
   * @return at least one; not to be modified
   */
  public List<Limit> limits() {
    return limits.limits();
  }

  /**
   * Returns the clock that the store decides by, for callers that wait before they try again.
   *
   * @return the clock of the store
   */
  public MicroClock clock() {
    return store.clock();
  }

  /**
   * Acquires permits if they fit; see {@link RateLimiter#tryAcquire(String, long)}.
   *
   * @param permits the number of permits; 0 only peeks
   * @return the decision
   */
  public Decision tryAcquire(long permits) {
    Bounds.checkPermits(permits);
    return store.decide(RateLimiter.acquiring(permits), limits, key, permits);
  }

  /**
   * The asynchronous form of {@link #tryAcquire}.
   *
   * @param permits the number of permits; 0 only peeks
   * @return completes with the decision; may be complete already
   */
  public CompletionStage<Decision> tryAcquireAsync(long permits) {
    return decideAsync(RateLimiter.acquiring(permits), permits);
  }

  /**
   * Charges permits whether they fit or not, asynchronously; see {@link RateLimiter#charge}.
   *
   * @param permits the number of permits
   * @return completes with the state of the key afterwards; may be complete already
   */
  public CompletionStage<Decision> chargeAsync(long permits) {
    return decideAsync(Operation.CHARGE, permits);
  }

  /**
   * Gives back permits to where a decision charged them, asynchronously; see {@link
   * RateLimiter#refund(String, long, Decision)}.
   *
   * @param permits the number of permits
   * @param charged the decision that charged them
   * @return completes with the state of the key afterwards; may be complete already
   */
  public CompletionStage<Decision> refundAsync(long permits, Decision charged) {
    return decideAsync(RateLimiter.refunding(charged), permits);
  }

  private CompletionStage<Decision> decideAsync(Operation operation, long permits) {
    Bounds.checkPermits(permits);
    return RateLimiter.cancellable(store.decideAsync(operation, limits, key, permits));
  }

  /** Returns the policy's name and the limits, without the key. */
  @Override
  public String toString() {
    return "key of " + limits;
  }
}
