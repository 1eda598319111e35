package dev.sash.redis;

import dev.sash.Limit;
import java.time.Duration;

/**
 * What Redis keeps of one key under one limit.
 *
 * @param limit the limit
 * @param used the permits charged
 * @param records how many records they are kept in; 0 if nothing is charged
 * @param timeToLive how long until Redis drops the state by itself; zero if there is none
 */
public record KeyState(Limit limit, long used, long records, Duration timeToLive) {}
