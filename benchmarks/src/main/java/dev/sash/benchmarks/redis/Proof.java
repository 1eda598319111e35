package dev.sash.benchmarks.redis;

import java.time.Duration;

/** Whether a contender limits at all: it would be quick not to. */
final class Proof {
  static final int PERMITS = 100;
  static final int REQUESTS = 150;

  /** So long that none comes back and no window ends meanwhile. */
  static final Duration WINDOW = Duration.ofDays(1);

  private Proof() {}

  /** Fails unless as many requests were allowed as there were permits. */
  static void check(String contender, long allowed) {
    if (allowed != PERMITS) {
      throw new IllegalStateException(
          "%s allowed %d of %d requests, with %d permits"
              .formatted(contender, allowed, REQUESTS, PERMITS));
    }
  }
}
