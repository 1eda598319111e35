package dev.sash.server.statistics;

import java.util.List;
import java.util.Map;

/**
 * Everything that is known of a policy.
 *
 * @param counts the sums
 * @param nowMillis when it was read, in milliseconds since the epoch: in the last slot of a series
 * @param seconds the last 15 minutes by seconds, the oldest first
 * @param minutes the last 24 hours by minutes, the oldest first
 * @param hourPeaks what keys used of the limit in the last hour, in which up to a quarter is
 *     missing
 * @param dayPeaks what keys used of the limit in the last 24 hours, in which up to 6 may be missing
 * @param spenders the keys with the most permits that were admitted
 * @param denied the keys with the most denials
 */
public record PolicyDetail(
    PolicyCounts counts,
    long nowMillis,
    Map<Measure, long[]> seconds,
    Map<Measure, long[]> minutes,
    PeakUse.Summary hourPeaks,
    PeakUse.Summary dayPeaks,
    TopKeys spenders,
    TopKeys denied) {
  /**
   * The keys with the most of something in the last half to whole hour.
   *
   * @param total of all keys
   * @param maxError the most by which a count may be too large, and that a key which is not listed
   *     may have, if fewer keys than asked for are listed
   * @param keys the largest count first
   */
  public record TopKeys(long total, long maxError, List<TopKey> keys) {}

  /**
   * A key.
   *
   * @param key the key, or what stands for it
   * @param count never too small
   * @param error the most by which the count is too large
   */
  public record TopKey(String key, long count, long error) {}
}
