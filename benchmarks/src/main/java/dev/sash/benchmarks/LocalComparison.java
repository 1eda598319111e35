package dev.sash.benchmarks;

import static dev.sash.benchmarks.Contender.BUCKET4J;
import static dev.sash.benchmarks.Contender.GUAVA;
import static dev.sash.benchmarks.Contender.RESILIENCE4J;
import static dev.sash.benchmarks.Contender.SASH_COUNTER;
import static dev.sash.benchmarks.Contender.SASH_LOG;

import dev.sash.benchmarks.HotKeyBench.Path;
import dev.sash.benchmarks.OneThingBench.Protector;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** {@code ./sash bench local}: everything that happens inside one process, in one run. */
final class LocalComparison {
  private static final String HOT = "HotKeyBench.decide";
  private static final String ONE = "OneThingBench.decide";
  private static final String MANY = "ManyKeysBench.decide";
  private static final String SIZE = "LimitSizeBench.decide";
  private static final String CLOCK = "HotKeyBench.Floor.nanoTime";
  private static final String MAP = "HotKeyBench.Floor.mapGet";
  private static final String BIG_MAP = "ManyKeysBench.Floor.mapGet";
  private static final String BIG_MAP_AND_CLOCK = "ManyKeysBench.Floor.mapGetAndClock";
  private static final List<Contender> PEERS = List.of(GUAVA, RESILIENCE4J, BUCKET4J);
  private static final List<Contender> TWO_THREADS =
      List.of(SASH_LOG, SASH_COUNTER, GUAVA, RESILIENCE4J, BUCKET4J);
  private static final int[] KEYS = {65_536, 1_000_000};
  private static final int[] LIMITS = {10, 1_000, 100_000, 1_000_000};
  private static final int[] SPENT = {1, 3, 10};
  private static final int[] LOGGED = {100, 1_000, 10_000, 1_000_000};

  private final boolean quick;
  private final Timings timings;
  private final Map<String, Double> bytesPerKey = new TreeMap<>();
  private final Map<Integer, Double> bytesPerPermit = new TreeMap<>();
  private final Report report;

  LocalComparison(boolean quick) {
    this.quick = quick;
    this.timings = new Timings(quick);
    this.report =
        new Report(
            "Sash and its peers in one process",
            Machine.describe(
                    quick ? "./sash bench local --quick" : "./sash bench local",
                    "",
                    "Bucket4j",
                    "Guava",
                    "Resilience4j")
                + " Medians over the iterations of JMH, all in this one run: compare the ratios,"
                + " not the nanoseconds of another machine or day.");
  }

  /** Measures, and returns the report. */
  Report run() {
    measureTimes();
    measureMemory();
    goals();
    oneThing();
    hotKey();
    manyKeys();
    limitSizes();
    memory();
    return report;
  }

  private void measureTimes() {
    timings.run(CLOCK, 1, Map.of());
    timings.run(MAP, 1, Map.of());
    timings.run(HOT, 1, Map.of());
    timings.run(HOT, 2, Map.of("contender", names(TWO_THREADS)));
    timings.run(ONE, 1, Map.of());
    timings.run(ONE, 2, Map.of());
    timings.run(BIG_MAP, 1, Map.of());
    timings.run(BIG_MAP_AND_CLOCK, 1, Map.of());
    timings.run(MANY, 1, Map.of("contender", names(TWO_THREADS)));
    timings.run(SIZE, 1, Map.of());
  }

  private void measureMemory() {
    int keys = quick ? 100_000 : 1_000_000;
    for (Contender contender : Contender.values()) {
      for (int spent : SPENT) {
        bytesPerKey.put(contender + " " + spent, MemoryProbe.bytesPerKey(contender, keys, spent));
      }
    }
    for (int permits : LOGGED) {
      bytesPerPermit.put(
          permits, MemoryProbe.bytesPerPermit(permits, Math.max(1, 1_000_000 / permits)));
    }
  }

  private void goals() {
    double clock = nanos(CLOCK, 1);
    double log = nanos(HOT, 1, SASH_LOG, Path.ALLOWED);
    double logOfTwo = nanos(HOT, 2, SASH_LOG, Path.ALLOWED);
    double bestPeer = bestPeer(1);
    double bestPeerOfTwo = bestPeer(2);
    double many = nanos(MANY, 1, SASH_LOG, 1_000_000);
    double manyBucket4j = nanos(MANY, 1, BUCKET4J, 1_000_000);
    double[] sizes =
        Arrays.stream(LIMITS).mapToDouble(limit -> nanos(SIZE, 1, limit, true)).toArray();
    double flat = Arrays.stream(sizes).max().orElse(0) / Arrays.stream(sizes).min().orElse(1);
    double one = nanos(ONE, 1, Path.ALLOWED, Protector.SASH_LOG);
    double oneOfTwo = nanos(ONE, 2, Path.ALLOWED, Protector.SASH_LOG);
    report.goals();
    report.atMost(
        1.0,
        "one key by its handle, 1 thread: faster than every peer",
        one / bestProtector(1),
        "× the fastest");
    report.atMost(
        1.5, "one key by its handle, 1 thread: at most 1.5 × System.nanoTime()", one / clock, "×");
    report.atMost(
        1.0,
        "one key by its handle, 2 threads: faster than every peer",
        oneOfTwo / bestProtector(2),
        "× the fastest");
    report.atMost(
        1.0, "hot key, 1 thread: faster than every peer", log / bestPeer, "× the fastest");
    report.atMost(1.5, "hot key, 1 thread: at most 1.5 × System.nanoTime()", log / clock, "×");
    report.atMost(1.0, "hot key, 2 threads: not slower than a peer", logOfTwo / bestPeerOfTwo, "×");
    report.atMost(1 / 3.0, "1,000,000 keys: a third of Bucket4j's time", many / manyBucket4j, "×");
    report.atMost(
        1 / 3.0,
        "a third of Bucket4j's bytes per key while 3 permits are logged",
        perKey(SASH_LOG, 3) / perKey(BUCKET4J, 3),
        "×");
    report.atMost(
        8,
        "exact log at limit 10,000: 8 bytes a permit",
        bytesPerPermit.getOrDefault(10_000, Double.NaN),
        "B");
    report.atMost(1.5, "limits 10 to 1,000,000: within 1.5 ×", flat, "×");
    report.atMost(
        48,
        "allocation per decision: 48 bytes",
        timings.of(HOT, 1, SASH_LOG, Path.ALLOWED).bytes(),
        "B");
  }

  private void oneThing() {
    report.section("One thing to protect");
    report.paragraph(
        "A limiter without a key: `Sash.single`, or `limiter.forKey(key)`, beside the peers' own"
            + " limiters. Nanoseconds per decision, × `System.nanoTime()`, and bytes allocated.");
    report.table("", "allowed", "denied", "B", "allowed, 2 threads", "denied, 2 threads");
    report.row("`System.nanoTime()`", time(nanos(CLOCK, 1)), "", "0", "", "");
    for (Protector protector : Protector.values()) {
      report.row(
          protector.label(),
          time(nanos(ONE, 1, Path.ALLOWED, protector)),
          time(nanos(ONE, 1, Path.DENIED, protector)),
          String.format("%.0f", timings.of(ONE, 1, Path.ALLOWED, protector).bytes()),
          time(nanos(ONE, 2, Path.ALLOWED, protector)),
          time(nanos(ONE, 2, Path.DENIED, protector)));
    }
  }

  private void hotKey() {
    report.section("One hot key among many");
    report.paragraph(
        "A key that is looked up for every decision; the peers are kept in a"
            + " `ConcurrentHashMap`. Nanoseconds per decision, × `System.nanoTime()`, and bytes"
            + " allocated.");
    report.table("", "allowed", "denied", "B", "allowed, 2 threads", "denied, 2 threads");
    report.row("`System.nanoTime()`", time(nanos(CLOCK, 1)), "", "0", "", "");
    report.row("`ConcurrentHashMap.get`", time(nanos(MAP, 1)), "", "0", "", "");
    for (Contender contender : Contender.values()) {
      boolean two = TWO_THREADS.contains(contender);
      report.row(
          contender.label(),
          time(nanos(HOT, 1, contender, Path.ALLOWED)),
          time(nanos(HOT, 1, contender, Path.DENIED)),
          String.format("%.0f", timings.of(HOT, 1, contender, Path.ALLOWED).bytes()),
          two ? time(nanos(HOT, 2, contender, Path.ALLOWED)) : "",
          two ? time(nanos(HOT, 2, contender, Path.DENIED)) : "");
    }
  }

  private void manyKeys() {
    report.section("Many keys at random, 100 permits per minute each");
    report.paragraph("Nanoseconds per decision, and how much longer Bucket4j takes.");
    report.table("", "65,536 keys", "1,000,000 keys");
    for (String floor : List.of(BIG_MAP, BIG_MAP_AND_CLOCK)) {
      report.row(
          floor.equals(BIG_MAP) ? "`ConcurrentHashMap.get`" : "the same and `System.nanoTime()`",
          plain(nanos(floor, 1, KEYS[0])),
          plain(nanos(floor, 1, KEYS[1])));
    }
    for (Contender contender : TWO_THREADS) {
      String[] cells = new String[KEYS.length + 1];
      cells[0] = contender.label();
      for (int i = 0; i < KEYS.length; i++) {
        double nanos = nanos(MANY, 1, contender, KEYS[i]);
        cells[i + 1] =
            String.format("%.0f (%.1f ×)", nanos, nanos(MANY, 1, BUCKET4J, KEYS[i]) / nanos);
      }
      report.row(cells);
    }
  }

  private void limitSizes() {
    report.section("The exact log, full to its limit");
    report.paragraph("Nanoseconds per decision.");
    report.table("permits", "allowed", "denied");
    for (int limit : LIMITS) {
      report.row(
          String.format("%,d", limit),
          plain(nanos(SIZE, 1, limit, true)),
          plain(nanos(SIZE, 1, limit, false)));
    }
  }

  private void memory() {
    report.section("Memory");
    report.paragraph(
        "Heap in use after a collection, without the keys' names, which all contenders share.");
    report.table("bytes per key", "1 permit spent", "3", "10");
    for (Contender contender : Contender.values()) {
      report.row(
          contender.label(),
          plain(perKey(contender, 1)),
          plain(perKey(contender, 3)),
          plain(perKey(contender, 10)));
    }
    report.table("exact log, full, of", "bytes per logged permit");
    bytesPerPermit.forEach(
        (permits, bytes) ->
            report.row(String.format("%,d permits", permits), String.format("%.2f", bytes)));
  }

  private double bestPeer(int threads) {
    return PEERS.stream()
        .mapToDouble(peer -> nanos(HOT, threads, peer, Path.ALLOWED))
        .min()
        .orElseThrow();
  }

  private double bestProtector(int threads) {
    return Stream.of(Protector.GUAVA, Protector.RESILIENCE4J, Protector.BUCKET4J)
        .mapToDouble(peer -> nanos(ONE, threads, Path.ALLOWED, peer))
        .min()
        .orElseThrow();
  }

  private double perKey(Contender contender, int spent) {
    return bytesPerKey.getOrDefault(contender + " " + spent, Double.NaN);
  }

  private double nanos(String benchmark, int threads, Object... values) {
    return timings.of(benchmark, threads, values).nanos();
  }

  private String time(double nanos) {
    return String.format("%.1f (%.2f ×)", nanos, nanos / nanos(CLOCK, 1));
  }

  private static String plain(double number) {
    return String.format("%.0f", number);
  }

  private static String[] names(List<Contender> contenders) {
    return contenders.stream().map(Enum::name).toArray(String[]::new);
  }
}
