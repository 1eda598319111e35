package dev.sash.config.policy;

import java.util.Locale;

/** What becomes of a policy's decisions. */
public enum Mode {
  /** They hold. */
  ENFORCE,
  /** They are made, charged and counted, and every request is admitted all the same. */
  SHADOW,
  /** None are made: every request is admitted, and nothing is charged. */
  OFF;

  /**
   * How files write it.
   *
   * @return {@code enforce}, {@code shadow} or {@code off}
   */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
