package dev.sash.benchmarks.redis;

import dev.sash.Limit;
import java.time.Duration;

/** An algorithm of Sash, still without its numbers. */
interface LimitOf {
  Limit limit(long permits, Duration window);

  /** As many cells as the documentation's example has. */
  static Limit logWithCells(long permits, Duration window) {
    return Limit.slidingLog(permits, window).withCells(10);
  }
}
