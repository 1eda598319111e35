package dev.sash.server.statistics;

import java.util.Objects;

/**
 * Whether there are statistics, and what they keep of keys. Immutable.
 *
 * @param enabled whether there are statistics
 * @param keys what is kept of keys
 */
public record StatisticsOptions(boolean enabled, KeyMode keys) {
  /** Checks that there is a mode. */
  public StatisticsOptions {
    Objects.requireNonNull(keys, "keys must not be null");
  }

  /**
   * Returns the defaults.
   *
   * @return statistics that keep keys
   */
  public static StatisticsOptions defaults() {
    return new StatisticsOptions(true, KeyMode.SHOWN);
  }
}
