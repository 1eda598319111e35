package dev.sash.config.envoy;

/** What is charged for a request of Envoy with several descriptors. */
public enum RlsCharging {
  /** All descriptors if none is over its limit, and none otherwise. */
  ALL_OR_NOTHING,
  /** Each descriptor whose hits fit, whatever becomes of the others. */
  EACH,
  /** Every descriptor, even if the hits exceed what is left. */
  ALWAYS
}
