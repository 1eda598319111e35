package dev.sash.config.policy;

import dev.sash.Limit;
import dev.sash.Policy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A policy, and what a file says besides. Immutable.
 *
 * <p>A request has <em>attributes</em>, such as {@code ip}, {@code plan} or {@code
 * header:x-api-key}: names and values that the caller sends or an edge determines.
 *
 * @param policy its name, its limits without a tier, and what holds while the store does not answer
 * @param mode what becomes of its decisions
 * @param charge when it charges
 * @param keyAttributes the attributes that make the key of a request that comes without one; empty
 *     if every request must have a key
 * @param tierAttribute the attribute with the tier
 * @param tiers the limits of each tier, in place of the policy's own; a request of another tier, or
 *     of none, has the policy's own
 * @param cost what a request costs that does not say so itself
 * @param allow clients that are admitted without being charged
 * @param deny clients that are denied without being charged; wins over {@code allow}
 */
public record PolicyConfig(
    Policy policy,
    Mode mode,
    ChargeRule charge,
    List<String> keyAttributes,
    String tierAttribute,
    Map<String, List<Limit>> tiers,
    Cost cost,
    AccessList allow,
    AccessList deny) {
  /** The attribute with the tier unless a file names another. */
  public static final String DEFAULT_TIER_ATTRIBUTE = "tier";

  /** Copies the collections; tiers keep their order. */
  public PolicyConfig {
    keyAttributes = List.copyOf(keyAttributes);
    Map<String, List<Limit>> copied = new LinkedHashMap<>();
    tiers.forEach((tier, limits) -> copied.put(tier, List.copyOf(limits)));
    tiers = Collections.unmodifiableMap(copied);
  }

  /**
   * Returns a policy with the defaults for everything else.
   *
   * @param policy the policy
   * @return enforced, by keys that callers send, at one permit a request
   */
  public static PolicyConfig of(Policy policy) {
    return new PolicyConfig(
        policy,
        Mode.ENFORCE,
        ChargeRule.IF_ALLOWED,
        List.of(),
        DEFAULT_TIER_ATTRIBUTE,
        Map.of(),
        Cost.ONE,
        AccessList.NOBODY,
        AccessList.NOBODY);
  }

  /**
   * The policy's name.
   *
   * @return the name
   */
  public String name() {
    return policy.name();
  }
}
