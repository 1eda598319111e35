package dev.sash.store;

import dev.sash.Limit;
import dev.sash.Policy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limits that apply to a request: those of the policy, of the key's tier, or given with the
 * request. Resolved once per request, before the store is called. Immutable; equal only to itself.
 */
public final class ResolvedLimits {
  private final Policy policy;
  private final List<Limit> limits;
  private final @Nullable Limit only;

  /**
   * Creates resolved limits.
   *
   * @param policy the policy, for its name, failure rule and deadline
   * @param limits at least one; they differ in kind
   */
  public ResolvedLimits(Policy policy, List<Limit> limits) {
    this.policy = Objects.requireNonNull(policy, "policy must not be null");
    this.limits = limits;
    this.only = limits.size() == 1 ? limits.get(0) : null;
  }

  /**
   * Returns the policy. Its own limits may differ from {@link #limits}.
   *
   * @return the policy
   */
  public Policy policy() {
    return policy;
  }

  /**
   * Returns the limits to decide by. A request is charged to all of them or to none.
   *
   * @return unmodifiable, at least one
   */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * Returns the limit if there is exactly one.
   *
   * @return null if there are several
   */
  public @Nullable Limit only() {
    return only;
  }

  /**
   * Returns the limit with the lowest capacity, which decides when nothing is known about a key.
   *
   * @return one of the limits
   */
  public Limit lowest() {
    Limit lowest = limits.get(0);
    for (Limit limit : limits) {
      lowest = limit.capacity() < lowest.capacity() ? limit : lowest;
    }
    return lowest;
  }

  /** Returns the policy's name and the limits. */
  @Override
  public String toString() {
    return policy.name() + " " + limits;
  }
}
