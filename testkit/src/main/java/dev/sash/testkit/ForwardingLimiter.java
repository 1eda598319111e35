package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** Does what another limiter does, but for what a test makes different. */
public abstract class ForwardingLimiter implements RateLimiter {
  /** The other one. */
  protected final RateLimiter limiter;

  /**
   * A limiter in front of another.
   *
   * @param limiter the other one
   */
  protected ForwardingLimiter(RateLimiter limiter) {
    this.limiter = Objects.requireNonNull(limiter, "limiter must not be null");
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return limiter.tryAcquire(key, permits);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return limiter.tryAcquireAsync(key, permits);
  }

  @Override
  public Decision refund(String key, long permits) {
    return limiter.refund(key, permits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return limiter.refundAsync(key, permits);
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
    return limiter.policy();
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
  public RateLimiter under(List<Limit> limits) {
    return limiter.under(limits);
  }
}
