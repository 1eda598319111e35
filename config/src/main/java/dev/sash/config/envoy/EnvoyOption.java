package dev.sash.config.envoy;

/** What a file of envoyproxy/ratelimit can switch on for a descriptor. */
public enum EnvoyOption {
  /** Counts, and never denies. */
  SHADOW_MODE,
  /**
   * Records its hits even beyond the limit, and denies only if every other descriptor of the
   * request with this option is over its limit too.
   */
  QUOTA_MODE,
  /** Metrics have the values of all entries of the request. */
  DETAILED_METRIC,
  /** Metrics have the value of this entry of the request. */
  VALUE_TO_METRIC,
  /** All values that the wildcard matches share one count. */
  SHARE_THRESHOLD
}
