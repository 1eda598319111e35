package dev.sash.spring.method;

import java.util.Set;

/** Names the policies that a part of the application uses besides paths and annotations. */
@FunctionalInterface
public interface PolicyNames {
  /**
   * Returns what is used.
   *
   * @return names of policies; others, such as those of a route's own limits, are allowed
   */
  Set<String> usedPolicies();
}
