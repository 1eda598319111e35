package dev.sash.cli;

import java.util.Arrays;
import java.util.Collection;

/** Times in microseconds, oldest first, at each of which one permit was asked for or spent. */
final class Moments {
  private final long[] micros;

  private Moments(long[] micros) {
    this.micros = micros;
    Arrays.sort(micros);
  }

  static Moments of(Collection<Long> micros) {
    return new Moments(micros.stream().mapToLong(Long::longValue).toArray());
  }

  long[] toArray() {
    return micros.clone();
  }

  int count() {
    return micros.length;
  }

  /** How many there are with from ≤ t &lt; to. */
  int countBetween(long from, long to) {
    return (int) Arrays.stream(micros).filter(t -> from <= t && t < to).count();
  }

  /** How many the true window that ends now holds: those with now - window &lt; t ≤ now. */
  int usageAt(long now, long window) {
    return countBetween(now - window + 1, now + 1);
  }

  /** The most that any true window holds. */
  int worstUsage(long window) {
    return worstUsage(0, Long.MAX_VALUE, window);
  }

  /**
   * The most that any true window holds which ends at from or later, and before to. Usage rises
   * only at a moment, so that only those and the beginning need a look.
   */
  int worstUsage(long from, long to, long window) {
    int atMoments =
        Arrays.stream(micros)
            .filter(t -> from <= t && t < to)
            .mapToInt(t -> usageAt(t, window))
            .max()
            .orElse(0);
    return Math.max(usageAt(from, window), atMoments);
  }
}
