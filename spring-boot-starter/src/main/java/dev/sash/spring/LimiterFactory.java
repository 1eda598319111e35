package dev.sash.spring;

import dev.sash.Policy;
import dev.sash.RateLimiter;

/**
 * Makes the limiters of an application. A bean of this type takes the place of the store that
 * {@code sash.store} names.
 */
@FunctionalInterface
public interface LimiterFactory {
  /**
   * A limiter.
   *
   * @param policy what is allowed
   * @return asked for every decision about the policy
   */
  RateLimiter limiter(Policy policy);
}
