package dev.sash.server.override;

import org.jspecify.annotations.Nullable;

/** Finds the override that applies to a key now. Thread-safe. */
public interface OverrideLookup {
  /** No overrides. */
  OverrideLookup NONE = (policy, key) -> null;

  /**
   * Returns the override that applies: that of the key itself before that of a prefix, and that of
   * a longer prefix before that of a shorter one.
   *
   * @param policy the policy's name
   * @param key the key, of any length
   * @return null if there is none
   */
  @Nullable KeyOverride find(String policy, String key);
}
