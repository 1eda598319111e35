package dev.sash.internal.limiter;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@link RateLimiter#under} of a limiter that answers at once. */
public final class LimitsView implements RateLimiter {
  /** What decides by limits that come with the request. Keys and permits are not checked yet. */
  public interface Decider {
    /**
     * Spends permits if they fit.
     *
     * @param key who spends
     * @param permits how many
     * @param limits by which limits
     * @return the decision
     */
    Decision tryAcquire(String key, long permits, List<Limit> limits);

    /**
     * Gives back permits.
     *
     * @param key who spent them
     * @param permits how many
     * @param limits under which limits
     * @return the key's state afterwards
     */
    Decision refund(String key, long permits, List<Limit> limits);
  }

  private final RateLimiter limiter;
  private final Decider decider;
  private final List<Limit> limits;

  /**
   * A view.
   *
   * @param limiter what it is a view of
   * @param decider decides on the limiter's state
   * @param limits by which limits
   */
  public LimitsView(RateLimiter limiter, Decider decider, List<Limit> limits) {
    this.limiter = limiter;
    this.decider = decider;
    this.limits = limiter.policy().limitsForEveryKey(limits).limits();
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return decider.tryAcquire(key, permits, limits);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return CompletableFuture.completedStage(tryAcquire(key, permits));
  }

  @Override
  public Decision refund(String key, long permits) {
    return decider.refund(key, permits, limits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return CompletableFuture.completedStage(refund(key, permits));
  }

  @Override
  public void reset(String key) {
    limiter.reset(key);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return limiter.resetAsync(key);
  }

  @Override
  public Policy policy() {
    return limiter.policy().limitsForEveryKey(limits);
  }

  @Override
  public void changePolicy(Policy policy) {
    limiter.changePolicy(policy);
  }

  @Override
  public MicroClock clock() {
    return limiter.clock();
  }

  @Override
  public RateLimiter under(List<Limit> others) {
    return limiter.under(others);
  }
}
