package dev.sash;

import java.time.Duration;
import java.util.List;

/**
 * What a store keeps for one key under one limit, as {@link RateLimiter#inspect} reports it.
 *
 * @param limit the limit
 * @param used the permits charged, as {@link Decision#used}
 * @param records the number of records in which they are kept; 0 if nothing is charged
 * @param timeToLive the time until a remote store drops the state by itself; zero if there is none
 * @param releases when the permits leave the limit, in steps: ever later, with ever fewer permits
 *     still charged, at last none. A fixed window has one step, others at most 20
 */
public record LimitUsage(
    Limit limit, long used, long records, Duration timeToLive, List<Release> releases) {
  /** Copies the releases. */
  public LimitUsage {
    releases = List.copyOf(releases);
  }
}
