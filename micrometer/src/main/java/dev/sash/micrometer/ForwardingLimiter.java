package dev.sash.micrometer;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;

/** Hands on what is neither measured nor observed. */
abstract class ForwardingLimiter implements RateLimiter {
  final RateLimiter limiter;

  ForwardingLimiter(RateLimiter limiter) {
    this.limiter = limiter;
  }

  @Override
  public final Policy policy() {
    return limiter.policy();
  }

  @Override
  public final void changePolicy(Policy policy) {
    limiter.changePolicy(policy);
  }

  @Override
  public final MicroClock clock() {
    return limiter.clock();
  }
}
