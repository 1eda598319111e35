package dev.sash.spring;

import dev.sash.RateLimiter;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The limiters of an application, by the names of their policies. A bean, for code that asks a
 * limiter itself:
 *
 * <pre>{@code
 * Decision decision = limiters.get("export").tryAcquire(user.id(), rows);
 * }</pre>
 *
 * <p>Immutable.
 */
public final class RateLimiters {
  private final Map<String, RateLimiter> byName = new TreeMap<>();

  /**
   * These limiters.
   *
   * @param limiters their policies have different names
   */
  public RateLimiters(Collection<? extends RateLimiter> limiters) {
    for (RateLimiter limiter : limiters) {
      if (byName.put(limiter.policy().name(), limiter) != null) {
        throw new IllegalArgumentException(
            "policies must have different names, two were '" + limiter.policy().name() + "'");
      }
    }
  }

  /**
   * The limiter of a policy.
   *
   * @param policy the policy's name
   * @return the limiter
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public RateLimiter get(String policy) {
    RateLimiter limiter = byName.get(policy);
    if (limiter == null) {
      throw new IllegalArgumentException(
          "policy must be one of " + byName.keySet() + ", was '" + policy + "'");
    }
    return limiter;
  }

  /**
   * Which policies there are.
   *
   * @return their names, in order; unmodifiable
   */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }
}
