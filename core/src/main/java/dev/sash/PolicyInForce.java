package dev.sash;

import dev.sash.store.ResolvedLimits;
import java.util.Objects;

/** The policy of a limiter and its derivatives, which a {@link LimiterRegistry} may change. */
final class PolicyInForce {
  /** The policy, with the limits that apply to every key if it has no tiers. */
  private volatile ResolvedLimits common;

  PolicyInForce(Policy policy) {
    this.common = resolved(policy);
  }

  Policy policy() {
    return common.policy();
  }

  void change(Policy policy) {
    String name = policy().name();
    if (!policy.name().equals(name)) {
      throw new IllegalArgumentException(
          "policy must have the name '" + name + "' to change it, was '" + policy.name() + "'");
    }
    common = resolved(policy);
  }

  ResolvedLimits limitsFor(String key) {
    ResolvedLimits limits = common;
    Policy policy = limits.policy();
    return policy.isTiered() ? new ResolvedLimits(policy, policy.limitsFor(key)) : limits;
  }

  private static ResolvedLimits resolved(Policy policy) {
    Objects.requireNonNull(policy, "policy must not be null");
    if (policy.limits().isEmpty() && !policy.isTiered()) {
      throw new IllegalArgumentException("policy '" + policy.name() + "' must have a limit");
    }
    return new ResolvedLimits(policy, policy.limits());
  }
}
