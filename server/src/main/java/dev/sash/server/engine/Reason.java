package dev.sash.server.engine;

import java.util.Locale;

/** Why a request was admitted or denied. */
public enum Reason {
  /** The limits say so. */
  LIMIT,
  /** The policy only watches: the limits' decision stands in the answer, and does not hold. */
  SHADOW,
  /** The policy is off. */
  OFF,
  /** The key or address is on the policy's list of those always admitted. */
  ALLOW_LIST,
  /** The key or address is on the policy's list of those always denied. */
  DENY_LIST,
  /** An override of the key admits all requests. */
  UNLIMITED,
  /** An override of the key denies all requests. */
  BLOCKED;

  /**
   * Returns whether requests are denied for this reason, whatever the limits are.
   *
   * @return true for the deny list and for a block
   */
  public boolean isDenial() {
    return this == DENY_LIST || this == BLOCKED;
  }

  /**
   * How answers write it.
   *
   * @return for example {@code allow-list}
   */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
