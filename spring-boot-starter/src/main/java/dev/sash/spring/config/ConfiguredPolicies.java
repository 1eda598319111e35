package dev.sash.spring.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The policies of an application, in the order in which they are asked. Immutable. */
public final class ConfiguredPolicies implements Iterable<ConfiguredPolicy> {
  private final List<ConfiguredPolicy> policies;

  ConfiguredPolicies(Collection<ConfiguredPolicy> policies) {
    this.policies =
        policies.stream()
            .sorted(Comparator.comparingInt(policy -> policy.properties().order()))
            .toList();
  }

  /**
   * A policy.
   *
   * @param name its name
   * @return null if there is none
   */
  public @Nullable ConfiguredPolicy find(String name) {
    return policies.stream().filter(p -> p.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * Their names.
   *
   * @return in the order of the policies
   */
  public List<String> names() {
    return policies.stream().map(ConfiguredPolicy::name).toList();
  }

  @Override
  public Iterator<ConfiguredPolicy> iterator() {
    return policies.iterator();
  }
}
