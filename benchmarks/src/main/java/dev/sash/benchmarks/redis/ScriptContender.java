package dev.sash.benchmarks.redis;

import dev.sash.Limit;
import java.time.Duration;
import java.util.List;

/** The scripts to compare. */
enum ScriptContender {
  SASH_LOG("Sash, exact log", sash(Limit::slidingLog)),
  SASH_CELLS("Sash, log with 10 cells", sash(LimitOf::logWithCells)),
  SASH_COUNTER("Sash, sliding counter", sash(Limit::slidingCounter)),
  SASH_FIXED("Sash, fixed window", sash(Limit::fixedWindow)),
  SASH_BUCKET("Sash, token bucket", sash(Limit::tokenBucket)),
  SASH_TWO_LIMITS("Sash, exact log and sliding counter on one key", ScriptContender::twoLimits),
  SORTED_SET("the usual log, a sorted set", Script::sortedSet),
  TWO_KEYS("the usual counter, two keys", Script::twoKeys),
  EMPTY("an empty script", (permits, window) -> Script.empty());

  private interface Maker {
    Script script(long permits, Duration window);
  }

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // makers hold nothing
  private final Maker maker;

  ScriptContender(String label, Maker maker) {
    this.label = label;
    this.maker = maker;
  }

  String label() {
    return label;
  }

  /** The script for keys with a number of permits per window. */
  Script script(long permits, Duration window) {
    return maker.script(permits, window);
  }

  /** Whether it is a limiter at all. */
  boolean limits() {
    return this != EMPTY;
  }

  private static Maker sash(LimitOf kind) {
    return (permits, window) -> Script.sash(List.of(kind.limit(permits, window)));
  }

  /** The second limit is the wider one, as it mostly is. */
  private static Script twoLimits(long permits, Duration window) {
    return Script.sash(
        List.of(
            Limit.slidingLog(permits, window),
            Limit.slidingCounter(10 * permits, window.multipliedBy(60))));
  }
}
