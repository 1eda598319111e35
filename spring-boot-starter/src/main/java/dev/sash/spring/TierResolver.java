package dev.sash.spring;

import org.jspecify.annotations.Nullable;

/**
 * Tells which plan a caller has. A bean of this type takes the place of what is listed under {@code
 * sash.tiers}; the limits of each tier stand under {@code sash.policies.<name>.tiers}.
 */
@FunctionalInterface
public interface TierResolver {
  /**
   * The tier of a caller. Called for every decision, on the asking thread: must be fast and
   * thread-safe.
   *
   * @param policy the policy's name
   * @param key who asks, as the policy's {@code key} finds it, for example {@code user:ann}
   * @return one of the policy's tiers; null or any other for the policy's own limits
   */
  @Nullable String tierOf(String policy, String key);
}
