package dev.sash.store;

/** What a {@link Store} does to a key. */
public enum Operation {
  /** Charges the permits if they fit under every limit, and nothing otherwise. */
  ACQUIRE,
  /** Changes nothing: the decision for 0 permits. */
  PEEK,
  /**
   * Gives back up to that many of the most recent permits, never more than are charged. The
   * decision is that of a {@link #PEEK} afterwards, as for all operations below.
   */
  REFUND,
  /**
   * Gives back permits that a local fallback charged, not the store; see {@link FailureRules}. A
   * store without a fallback treats it as {@link #PEEK}.
   */
  REFUND_LOCAL,
  /**
   * Charges the permits whether they fit or not, up to a total of {@link Decisions#MAX_USED}.
   * Nothing more is admitted until what is charged fits again.
   */
  CHARGE,
  /** Forgets what is charged under these limits. */
  RESET,
  /**
   * Changes nothing: the decision on a request for the permits, with {@linkplain
   * dev.sash.Decision#usages usages}.
   */
  INSPECT
}
