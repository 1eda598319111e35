package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Asked;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The keys and limits of the requests. */
enum Traffic {
  MANY_KEYS("10,000 keys at random, 100 permits a minute each", 10_000, 100, true),
  HOT_ALLOWED("one key, 10,000,000 permits a minute: mostly allowed", 1, 10_000_000, true),
  HOT_DENIED("one key, 100 permits a minute: mostly denied", 1, 100, false);

  static final Duration WINDOW = Duration.ofMinutes(1);

  private static final double MOSTLY = 0.95;

  private final String label;
  private final int keys;
  private final long permits;
  private final boolean allowed;

  Traffic(String label, int keys, long permits, boolean allowed) {
    this.label = label;
    this.keys = keys;
    this.permits = permits;
    this.allowed = allowed;
  }

  String label() {
    return label;
  }

  List<String> keys() {
    return IntStream.range(0, keys).mapToObj(i -> "user:" + i).toList();
  }

  long permits() {
    return permits;
  }

  /** Spends what a key may before it is denied, where denials are to be measured. */
  void begin(Asked asked) {
    if (!allowed) {
      for (String key : keys()) {
        for (long i = 0; i < permits; i++) {
          var unused = asked.tryAcquire(key);
        }
      }
    }
  }

  /** Fails if the answers were not what the traffic is meant to measure. */
  void check(String contender, double allowedShare) {
    boolean otherwise = allowed ? allowedShare < MOSTLY : allowedShare > 1 - MOSTLY;
    if (otherwise) {
      throw new IllegalStateException(
          "%s allowed %.1f %% of the requests; the traffic is %s"
              .formatted(contender, 100 * allowedShare, label));
    }
  }
}
