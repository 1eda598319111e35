package dev.sash.spring.config;

import dev.sash.key.Keys;
import dev.sash.spring.TierResolver;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells tiers by lists of keys. Of a combination of keys, the first part that is listed tells it.
 */
final class TierLists implements TierResolver {
  private final Map<String, String> byKey = new HashMap<>();

  /** The longest first: it is the most exact. */
  private final Map<String, String> byPrefix =
      new TreeMap<>(
          Comparator.comparingInt(String::length)
              .reversed()
              .thenComparing(Comparator.naturalOrder()));

  private TierLists() {}

  static TierLists of(Map<String, TierProperties> tiers) {
    TierLists lists = new TierLists();
    tiers.forEach(
        (tier, members) -> {
          members.keys().forEach(key -> add(lists.byKey, key, tier, "keys"));
          members
              .apiKeys()
              .forEach(value -> add(lists.byKey, Keys.ofApiKey(value), tier, "api-keys"));
          members.keyPrefixes().forEach(p -> add(lists.byPrefix, p, tier, "key-prefixes"));
        });
    return lists;
  }

  private static void add(Map<String, String> list, String entry, String tier, String property) {
    String name = "sash.tiers." + tier + "." + property;
    if (entry.isBlank()) {
      throw BadConfigurationException.property(name, "must not have an empty entry");
    }
    String other = list.put(entry, tier);
    if (other != null && !other.equals(tier)) {
      // Without the entry, which may be a secret.
      throw BadConfigurationException.property(
          name, "has an entry that the tier '" + other + "' has too");
    }
  }

  @Override
  public @Nullable String tierOf(String policy, String key) {
    if (!key.startsWith("(") || !key.endsWith(")")) {
      return tierOf(key);
    }
    StringBuilder part = new StringBuilder();
    for (int i = 1; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == '|' || i == key.length() - 1) {
        String tier = tierOf(part.toString());
        if (tier != null) {
          return tier;
        }
        part.setLength(0);
      } else {
        part.append(c == '\\' ? key.charAt(++i) : c);
      }
    }
    return null;
  }

  private @Nullable String tierOf(String key) {
    String tier = byKey.get(key);
    if (tier != null || byPrefix.isEmpty()) {
      return tier;
    }
    for (Map.Entry<String, String> entry : byPrefix.entrySet()) {
      if (key.startsWith(entry.getKey())) {
        return entry.getValue();
      }
    }
    return null;
  }
}
