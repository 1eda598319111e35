package dev.sash;

/** How a limiter with a remote store decides while the store is unavailable. */
public enum FailureRule {
  /**
   * Admits every request that the limits could ever admit. An attacker who can bring the store down
   * escapes the limit: for limits that only even out load.
   */
  OPEN,
  /** Denies every request: for logins, payments and other targets of attacks. */
  CLOSED,
  /** Decides in this process, in memory, by this process's share of the limits. */
  LOCAL
}
