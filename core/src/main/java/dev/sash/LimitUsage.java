package dev.sash;

import java.time.Duration;

/**
 * What a store keeps for one key under one limit, as {@link RateLimiter#inspect} reports it.
 *
 * @param limit the limit
 * @param used the permits charged, as {@link Decision#used}
 * @param records the number of records in which they are kept; 0 if nothing is charged
 * @param timeToLive the time until a remote store drops the state by itself; zero if there is none
 */
public record LimitUsage(Limit limit, long used, long records, Duration timeToLive) {}
