package dev.sash.benchmarks;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Heap in use after a collection, before and after filling a limiter, in a JVM of its own. The
 * names of the keys are there before: every contender holds the same ones.
 */
final class MemoryProbe {
  private MemoryProbe() {}

  /** Bytes per key, each having spent a number of 100 permits per minute. */
  static double bytesPerKey(Contender contender, int keys, int spent) {
    return fork("keys", contender.name(), String.valueOf(keys), String.valueOf(spent));
  }

  /** Bytes per permit in an exact log of that limit, full, over all keys. */
  static double bytesPerPermit(int permits, int keys) {
    return fork("permits", String.valueOf(permits), String.valueOf(keys));
  }

  /** In the JVM of its own. */
  public static void main(String[] args) {
    double bytes =
        switch (args[0]) {
          case "keys" ->
              measureKeys(
                  Contender.valueOf(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
          case "permits" -> measurePermits(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
          default -> throw new IllegalArgumentException("probe must be keys or permits");
        };
    System.out.println(bytes);
  }

  private static double measureKeys(Contender contender, int keys, int spent) {
    String[] names = ManyKeysBench.Keys.names(keys + 1);
    Asked asked = contender.limiter(100, Duration.ofMinutes(1));
    asked.tryAcquire(names[keys]); // loads the classes
    long before = heapInUse();
    for (int i = 0; i < spent; i++) {
      for (int k = 0; k < keys; k++) {
        asked.tryAcquire(names[k]);
      }
    }
    long after = heapInUse();
    asked.tryAcquire(names[keys]);
    return (double) (after - before) / keys;
  }

  private static double measurePermits(int permits, int keys) {
    String[] names = ManyKeysBench.Keys.names(keys + 1);
    RateLimiter limiter =
        InMemoryStore.create()
            .limiter(Policy.of("probe", Limit.slidingLog(permits, Duration.ofMinutes(10))));
    limiter.tryAcquire(names[keys]);
    long before = heapInUse();
    for (int k = 0; k < keys; k++) {
      for (int i = 0; i < permits; i++) {
        if (!limiter.tryAcquire(names[k]).allowed()) {
          throw new IllegalStateException("denied before the log was full");
        }
      }
    }
    long after = heapInUse();
    limiter.tryAcquire(names[keys]);
    return (double) (after - before) / keys / permits;
  }

  private static long heapInUse() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private static double fork(String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx4g",
                "-cp",
                System.getProperty("java.class.path"),
                MemoryProbe.class.getName()));
    command.addAll(List.of(args));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("memory probe failed: " + String.join(" ", args));
      }
      return Double.parseDouble(printed);
    } catch (IOException e) {
      throw new IllegalStateException("cannot start the memory probe", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
