package dev.sash.redis;

import dev.sash.Limit;
import java.time.Duration;
import java.util.List;

/**
 * A decision that charges nobody: of keys of its own, by a script with every command that scripts
 * use, which writes. It fails where a decision would: on a server that is read-only, full, loading,
 * or does not permit scripts.
 */
final class Probe {
  private static final List<Limit> LIMITS =
      List.of(
          Limit.slidingLog(1_000_000_000, Duration.ofSeconds(1)),
          Limit.fixedWindow(1_000_000_000, Duration.ofSeconds(1)));

  private final LimitScript script = new LimitScript(LIMITS);
  private final String prefix;

  Probe(String prefix) {
    this.prefix = prefix;
  }

  Script script() {
    return script.script();
  }

  byte[][] arguments() {
    return script.acquire(1);
  }

  /** Returns the keys of one of many probes, which all lie in one slot. */
  String[] keys(int number) {
    String tag = prefix + ":probe:{" + number + "}:";
    return new String[] {tag + "log", tag + "window"};
  }
}
