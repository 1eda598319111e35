package dev.sash.config;

/** What becomes of the other descriptors of an Envoy request when one is over its limit. */
public enum RlsCharging {
  /** They end uncharged. */
  ALL_OR_NOTHING,
  /** They are charged all the same, as envoyproxy/ratelimit does. */
  EACH
}
