package dev.sash;

import java.time.Duration;

/**
 * What will have left a limit after some time, if nothing is charged meanwhile.
 *
 * @param after the time
 * @param used the most permits that are still charged then
 */
public record Release(Duration after, long used) {}
