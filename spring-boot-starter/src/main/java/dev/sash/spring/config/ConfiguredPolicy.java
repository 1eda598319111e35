package dev.sash.spring.config;

import dev.sash.Policy;
import java.util.List;

/**
 * A policy, and what was configured beside its limits.
 *
 * @param policy what is allowed
 * @param paths which requests it holds for; empty if it is for annotated methods and code
 * @param properties the rest
 */
public record ConfiguredPolicy(Policy policy, List<String> paths, PolicyProperties properties) {
  /** Copies the paths. */
  public ConfiguredPolicy {
    paths = List.copyOf(paths);
  }

  /**
   * The name.
   *
   * @return the policy's
   */
  public String name() {
    return policy.name();
  }

  /**
   * The whole name of one of this policy's properties.
   *
   * @param property its last part, such as {@code key}
   * @return for example {@code sash.policies.api.key}
   */
  public String property(String property) {
    return PolicyReader.property(name(), property);
  }
}
