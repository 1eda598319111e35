package dev.sash;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How a {@link Limit} counts. Each constant states the most permits that can be admitted in any
 * true window of the limit's length (the worst case, for a limit of L permits) and what a key
 * costs.
 */
public enum Algorithm {
  /**
   * Counts every admitted permit until it is one window old. Never over L. One small record per
   * admission, or at most {@code cells + 1} records when the limit is given {@linkplain Limit#cells
   * cells}.
   */
  SLIDING_LOG("sliding-log"),

  /**
   * Counts per aligned window and weighs the previous window by how much of it is still covered. Up
   * to 2 L under hostile timing, a few per cent over in ordinary traffic. Two counts.
   */
  SLIDING_COUNTER("sliding-counter"),

  /** Counts per aligned window and starts again at zero with the next. Up to 2 L. One count. */
  FIXED_WINDOW("fixed-window"),

  /**
   * A bucket of {@link Limit#capacity capacity} B that refills continuously with L permits per
   * window: bursts of B are legitimate. Up to B + L - 1. One debt and one time stamp.
   */
  TOKEN_BUCKET("token-bucket");

  private final String id;

  Algorithm(String id) {
    this.id = id;
  }

  /**
   * The name used in configuration and in the shorthand of {@link Limit#parse}, such as {@code
   * sliding-log}.
   *
   * @return the name in lower case with hyphens
   */
  public String id() {
    return id;
  }

  /**
   * The algorithm of that {@linkplain #id name}, in any case.
   *
   * @param id the name
   * @return the algorithm
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public static Algorithm of(String id) {
    String wanted = id.toLowerCase(Locale.ROOT);
    for (Algorithm algorithm : values()) {
      if (algorithm.id.equals(wanted)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException("algorithm must be one of " + ids() + ", was '" + id + "'");
  }

  static String ids() {
    return Arrays.stream(values()).map(Algorithm::id).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return id;
  }
}
