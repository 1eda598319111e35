package dev.sash.spring.web;

import org.jspecify.annotations.Nullable;

/**
 * Where the filters stand among the others. One stands before Spring Security, so that what
 * Security answers by itself is limited too; one stands after it, where the user is known.
 *
 * @param securityOrder the order of Spring Security's filter, whether there is one or not
 * @param hasSecurity whether there is one
 * @param configured the order of the one filter for everything; null for two filters
 */
public record FilterPlaces(int securityOrder, boolean hasSecurity, @Nullable Integer configured) {
  private static final int DISTANCE = 10;

  /**
   * Returns the order of the filter that comes first.
   *
   * @return just before Spring Security unless configured
   */
  public int first() {
    return configured == null ? securityOrder - DISTANCE : configured;
  }

  /**
   * Returns the order of the filter that knows the user.
   *
   * @return just after Spring Security
   */
  public int afterSecurity() {
    return securityOrder + DISTANCE;
  }

  /** Returns whether one filter checks everything. */
  boolean isOne() {
    return configured != null;
  }

  /** Returns whether the filter that comes first knows the user. */
  boolean firstKnowsUser() {
    return !hasSecurity || first() > securityOrder;
  }
}
