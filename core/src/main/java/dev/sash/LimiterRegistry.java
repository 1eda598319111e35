package dev.sash;

import dev.sash.store.Store;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of a store by the names of their policies, with limits that can change at run time.
 *
 * <pre>{@code
 * LimiterRegistry limiters = new LimiterRegistry(store);
 * RateLimiter search = limiters.put(Policy.of("search", Limit.parse("30/1m")));
 * limiters.put(Policy.of("search", Limit.parse("60/1m"))); // search now admits 60
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class LimiterRegistry {
  private record Registered(PolicyInForce inForce, RateLimiter limiter) {}

  private final Store store;
  private final NavigableMap<String, Registered> byName = new ConcurrentSkipListMap<>();

  /**
   * Creates an empty registry.
   *
   * @param store keeps the state and decides
   */
  public LimiterRegistry(Store store) {
    this.store = Objects.requireNonNull(store, "store must not be null");
  }

  /**
   * Adds a policy, or changes the one of that name: from the next decision on for all limiters that
   * this registry has returned for the name. What is charged already counts under limits that
   * differ only in permits: a lower limit applies to it, a higher one frees room at once. A limit
   * with another window, algorithm or cells starts with nothing charged.
   *
   * @param policy the policy
   * @return the limiter of that name, always the same
   * @throws IllegalArgumentException if the policy has neither limits nor tiers; nothing changes
   */
  public RateLimiter put(Policy policy) {
    Objects.requireNonNull(policy, "policy must not be null");
    return byName.compute(policy.name(), (name, present) -> registered(policy, present)).limiter;
  }

  private Registered registered(Policy policy, @Nullable Registered present) {
    if (present != null) {
      present.inForce.change(policy);
      return present;
    }
    PolicyInForce inForce = new PolicyInForce(policy);
    return new Registered(inForce, new RateLimiter(store, inForce));
  }

  /**
   * Returns the limiter of a policy.
   *
   * @param policy the policy's name
   * @return the limiter
   * @throws IllegalArgumentException if there is none; the message lists the names there are
   */
  public RateLimiter get(String policy) {
    Registered found = byName.get(policy);
    if (found == null) {
      throw new IllegalArgumentException(
          "policy must be one of " + byName.keySet() + ", was '" + policy + "'");
    }
    return found.limiter;
  }

  /**
   * Removes a policy. Limiters that were returned for it keep working, and their state stays.
   *
   * @param policy the policy's name
   */
  public void remove(String policy) {
    byName.remove(policy);
  }

  /**
   * Returns the names of the policies.
   *
   * @return in alphabetical order; unmodifiable, follows the registry
   */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }
}
