package dev.sash.testkit;

/** The kinds of policies that the contract is tested with, one after the other. */
public enum Family {
  /** One exact sliding log. */
  SLIDING_LOG,
  /** One sliding log with cells. */
  SLIDING_LOG_WITH_CELLS,
  /** One sliding counter. */
  SLIDING_COUNTER,
  /** One fixed window. */
  FIXED_WINDOW,
  /** One token bucket. */
  TOKEN_BUCKET,
  /** Two to four limits of any kind. */
  SEVERAL_LIMITS
}
