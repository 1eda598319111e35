package dev.sash;

/** How a limiter whose store is remote decides while the store does not answer. */
public enum FailureRule {
  /**
   * Everything is admitted that could be admitted at all. Whoever can bring the store down is free
   * of the limit: for limits that only even out load.
   */
  OPEN,
  /** Everything is denied: for logins, payments and whatever else is worth an attack. */
  CLOSED,
  /**
   * This process decides by itself, in memory, by its share of the limits. It begins with nothing
   * charged.
   */
  LOCAL
}
