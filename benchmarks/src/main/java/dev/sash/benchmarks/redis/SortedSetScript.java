package dev.sash.benchmarks.redis;

import java.time.Duration;

/** The exact log as it is usually published, for other benchmarks that call it. */
public final class SortedSetScript {
  private SortedSetScript() {}

  /** The text to load; its header says what it takes. */
  public static String source() {
    return Script.sortedSet(1, Duration.ofSeconds(1)).source();
  }
}
