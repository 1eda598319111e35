package dev.sash.config.envoy;

import java.time.Duration;

/** A unit of time, as Envoy's rate limit service has it. */
public enum EnvoyUnit {
  /** A second. */
  SECOND(1, Duration.ofSeconds(1)),
  /** A minute. */
  MINUTE(2, Duration.ofMinutes(1)),
  /** An hour. */
  HOUR(3, Duration.ofHours(1)),
  /** A day. */
  DAY(4, Duration.ofDays(1)),
  /** Thirty days. */
  MONTH(5, Duration.ofDays(30)),
  /** 365 days. */
  YEAR(6, Duration.ofDays(365)),
  /** Seven days. */
  WEEK(7, Duration.ofDays(7));

  private final int number;
  private final Duration window;

  EnvoyUnit(int number, Duration window) {
    this.number = number;
    this.window = window;
  }

  /**
   * Its length.
   *
   * @return the window of limits by this unit
   */
  public Duration window() {
    return window;
  }

  /**
   * Its number in the protocol, where 0 means unknown.
   *
   * @return 1 to 7
   */
  public int number() {
    return number;
  }
}
