package dev.sash.spring.config;

import dev.sash.Policy;
import dev.sash.spring.config.PolicyProperties.Mode;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The policies of an application, in the order in which they are checked. Thread-safe: which
 * policies there are stays the same, what they are configured with may be replaced.
 */
public final class ConfiguredPolicies implements Iterable<ConfiguredPolicy> {
  private volatile Map<String, ConfiguredPolicy> policies;

  ConfiguredPolicies(Collection<ConfiguredPolicy> policies) {
    Map<String, ConfiguredPolicy> byName = new LinkedHashMap<>();
    policies.stream()
        .sorted(Comparator.comparingInt(policy -> policy.properties().order()))
        .forEach(policy -> byName.put(policy.name(), policy));
    this.policies = byName;
  }

  /**
   * Returns a policy.
   *
   * @param name its name
   * @return null if there is none
   */
  public @Nullable ConfiguredPolicy find(String name) {
    return policies.get(name);
  }

  /**
   * Returns whether a policy only counts what it would deny.
   *
   * @param name the policy's name
   * @return false if there is no such policy
   */
  public boolean isShadow(String name) {
    ConfiguredPolicy policy = find(name);
    return policy != null && policy.properties().mode() == Mode.SHADOW;
  }

  /**
   * Sets the mode of a policy.
   *
   * @param name the policy's name
   * @param mode the mode
   */
  public void setMode(String name, Mode mode) {
    ConfiguredPolicy policy = find(name);
    if (policy != null) {
      replace(
          new ConfiguredPolicy(
              policy.policy(), policy.paths(), policy.properties().withMode(mode)));
    }
  }

  /**
   * Adds a policy of an annotation, unless there is one of that name.
   *
   * @param policy the policy
   * @return the policy of that name
   */
  public synchronized ConfiguredPolicy addInline(Policy policy) {
    Map<String, ConfiguredPolicy> changed = new LinkedHashMap<>(policies);
    ConfiguredPolicy known =
        changed.computeIfAbsent(
            policy.name(), name -> new ConfiguredPolicy(policy, List.of(), PolicyReader.unset()));
    policies = changed;
    return known;
  }

  /** Returns a copy, which does not follow replacements. */
  ConfiguredPolicies copy() {
    return new ConfiguredPolicies(policies.values());
  }

  /** Replaces the policy of that name; ignored if there is none. */
  synchronized void replace(ConfiguredPolicy policy) {
    Map<String, ConfiguredPolicy> changed = new LinkedHashMap<>(policies);
    changed.computeIfPresent(policy.name(), (name, former) -> policy);
    policies = changed;
  }

  /**
   * Returns the names of the policies.
   *
   * @return in the order of the policies
   */
  public List<String> names() {
    return List.copyOf(policies.keySet());
  }

  @Override
  public Iterator<ConfiguredPolicy> iterator() {
    return List.copyOf(policies.values()).iterator();
  }
}
