package dev.sash.server.override;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An index of overrides. Immutable.
 *
 * <p>An exact key is found by one look into a hash table. Prefixes are sorted, and each refers to
 * the longest other one that it begins with:
 *
 * <pre>
 *   ip:           none
 *   ip:10.        ip:
 *   ip:10.1.      ip:10.
 *   user:         none
 * </pre>
 *
 * <p>Whatever prefix a key has, it is the greatest one that is not after the key in this order, or
 * one of those that this one refers to: what lies between a prefix of the key and the key begins
 * with that prefix. So a binary search and a few steps find the longest, whatever their number is.
 */
final class Overrides {
  /** No overrides. */
  static final Overrides NONE = new Overrides(Map.of());

  private final Map<String, OfPolicy> policies;

  private Overrides(Map<String, OfPolicy> policies) {
    this.policies = policies;
  }

  /**
   * Returns an index.
   *
   * @param overrides with distinct targets
   */
  static Overrides of(Collection<KeyOverride> overrides) {
    Map<String, List<KeyOverride>> byPolicy = new HashMap<>();
    for (KeyOverride override : overrides) {
      byPolicy
          .computeIfAbsent(override.target().policy(), policy -> new ArrayList<>())
          .add(override);
    }
    Map<String, OfPolicy> policies = new HashMap<>();
    byPolicy.forEach((policy, its) -> policies.put(policy, new OfPolicy(its)));
    return new Overrides(policies);
  }

  /** Returns the override that applies to a key: see {@link OverrideLookup#find}. */
  @Nullable KeyOverride find(String policy, String key, InstantSource clock) {
    if (policies.isEmpty()) {
      return null;
    }
    OfPolicy found = policies.get(policy);
    return found == null ? null : found.find(key, clock);
  }

  /** The overrides of a policy. */
  private static final class OfPolicy {
    private static final int NO_OTHER = -1;

    private final Map<String, KeyOverride> exact = new HashMap<>();
    private final KeyOverride[] prefixed;
    private final String[] prefixes;

    /** For each prefix the place of the longest other one that it begins with. */
    private final int[] shorter;

    OfPolicy(List<KeyOverride> overrides) {
      overrides.stream()
          .filter(override -> !override.target().isPrefix())
          .forEach(override -> exact.put(override.target().text(), override));
      prefixed =
          overrides.stream()
              .filter(override -> override.target().isPrefix())
              .sorted(Comparator.comparing(override -> override.target().text()))
              .toArray(KeyOverride[]::new);
      prefixes =
          Arrays.stream(prefixed).map(override -> override.target().text()).toArray(String[]::new);
      shorter = new int[prefixes.length];
      for (int i = 0; i < prefixes.length; i++) {
        int before = i - 1;
        while (before != NO_OTHER && !prefixes[i].startsWith(prefixes[before])) {
          before = shorter[before];
        }
        shorter[i] = before;
      }
    }

    @Nullable KeyOverride find(String key, InstantSource clock) {
      KeyOverride found = exact.get(key);
      if (found != null && found.isInForce(clock.millis())) {
        return found;
      }
      if (prefixes.length == 0) {
        return null;
      }
      int place = Arrays.binarySearch(prefixes, key);
      int at = place >= 0 ? place : -place - 2;
      int common = at == NO_OTHER ? 0 : commonLength(prefixes[at], key);
      while (at != NO_OTHER) {
        if (prefixes[at].length() <= common && prefixed[at].isInForce(clock.millis())) {
          return prefixed[at];
        }
        at = shorter[at];
      }
      return null;
    }

    private static int commonLength(String prefix, String key) {
      int most = Math.min(prefix.length(), key.length());
      int common = 0;
      while (common < most && prefix.charAt(common) == key.charAt(common)) {
        common++;
      }
      return common;
    }
  }
}
