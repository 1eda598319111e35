package dev.sash.config.policy;

/** When a policy charges a request. */
public enum ChargeRule {
  /** If the permits fit: a denied request costs nothing. */
  IF_ALLOWED,
  /**
   * Always, even if the permits exceed what is left: for costs that are known only afterwards.
   * Nothing more is admitted until what is charged fits again.
   */
  ALWAYS
}
