package dev.sash.http;

/** The header fields in which responses report limits and what remains. Choose one or more. */
public enum FieldStyle {
  /**
   * {@code RateLimit-Policy} and {@code RateLimit} as Structured Fields, by
   * draft-ietf-httpapi-ratelimit-headers-11: every policy.
   */
  RATELIMIT,
  /**
   * {@code RateLimit-Limit}, {@code RateLimit-Remaining} and {@code RateLimit-Reset} in seconds
   * from now, by draft 6: the policy nearest to exhaustion.
   */
  RATELIMIT_DRAFT_6,
  /** {@code X-RateLimit-*} likewise, with the reset in seconds from now. */
  X_RATELIMIT_DELTA,
  /** {@code X-RateLimit-*} likewise, with the reset in seconds since 1970. */
  X_RATELIMIT_EPOCH
}
