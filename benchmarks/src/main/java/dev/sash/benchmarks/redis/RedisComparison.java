package dev.sash.benchmarks.redis;

import static dev.sash.benchmarks.redis.RedisContender.BUCKET4J;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG_BELIEVING;
import static dev.sash.benchmarks.redis.RedisContender.SORTED_SET;
import static dev.sash.benchmarks.redis.Traffic.HOT_ALLOWED;
import static dev.sash.benchmarks.redis.Traffic.HOT_DENIED;
import static dev.sash.benchmarks.redis.Traffic.MANY_KEYS;

import dev.sash.benchmarks.Machine;
import dev.sash.benchmarks.Report;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.util.List;

/**
 * {@code ./sash bench redis}: everything that is decided on a Redis server, in one run, on a server
 * of its own that ends with it.
 */
public final class RedisComparison {
  private static final String CALLERS = "32 callers";
  private static final String ONE = "1 caller";

  private final ServerSide serverSide;
  private final FromJava fromJava;
  private final Asynchronous asynchronous;
  private final Fleet fleet;
  private final Ladder ladder;
  private final KeyMemory memory;

  private RedisComparison(RedisServer server, Clients clients, boolean quick) {
    serverSide = new ServerSide(server, quick);
    fromJava = new FromJava(server, clients, quick);
    asynchronous = new Asynchronous(server, clients, quick);
    fleet = new Fleet(server, quick);
    ladder = new Ladder(server, clients, quick);
    memory = new KeyMemory(server, clients, quick);
  }

  /** Measures, and returns the report. */
  public static Report run(boolean quick) throws IOException {
    try (RedisServer server = RedisServer.start();
        Clients clients = new Clients(server.uri())) {
      RedisComparison comparison = new RedisComparison(server, clients, quick);
      comparison.measure();
      Report report =
          new Report(
              "Sash and its peers on Redis",
              Machine.describe(
                      quick ? "./sash bench redis --quick" : "./sash bench redis",
                      server.binary().toString(),
                      "Bucket4j",
                      "Lettuce",
                      "Redisson")
                  + " Client and server share the machine. Medians over rounds in which everybody"
                  + " takes a turn, all in this one run: compare the ratios, not the figures of"
                  + " another machine or day.");
      comparison.describe(report);
      return report;
    }
  }

  private void measure() throws IOException {
    serverSide.measure();
    memory.measure();
    asynchronous.measure();
    try (fromJava) {
      fromJava.measure();
    }
    ladder.measure();
    fleet.measure();
  }

  private void describe(Report report) {
    goals(report);
    serverSide.describe(report);
    asynchronous.describe(report);
    fromJava.describe(report);
    fleet.describe(report);
    ladder.describe(report);
    memory.describe(report);
  }

  private void goals(Report report) {
    report.goals();
    report.atMost(
        0.45,
        "time of Redis for a decision, exact log, 256 in flight: 0.45 × the usual log's",
        asynchronous.cpuRatio(AsyncContender.SASH_LOG, AsyncContender.SORTED_SET),
        "×");
    for (AsyncContender contender :
        List.of(
            AsyncContender.SASH_COUNTER, AsyncContender.SASH_FIXED, AsyncContender.SASH_BUCKET)) {
      report.atMost(
          0.6,
          "the same, " + contender.label().substring(6) + ": 0.6 × the usual counter's",
          asynchronous.cpuRatio(contender, AsyncContender.TWO_KEYS),
          "×");
    }
    report.atLeast(
        1.4,
        "exact log, one call for each decision, on the server: 1.4 × the usual log",
        onServer(ScriptContender.SASH_LOG) / onServer(ScriptContender.SORTED_SET),
        "×");
    report.atLeast(
        1,
        "two limits on one key, on the server: as much as the usual log with one",
        onServer(ScriptContender.SASH_TWO_LIMITS) / onServer(ScriptContender.SORTED_SET),
        "×");
    asynchronous(report, 2, AsyncContender.SORTED_SET, MANY_KEYS, Asynchronous.MANY);
    asynchronous(report, 5, AsyncContender.BUCKET4J, MANY_KEYS, Asynchronous.MANY);
    asynchronous(report, 4, AsyncContender.REDISSON, MANY_KEYS, Asynchronous.MANY);
    asynchronous(report, 1.4, AsyncContender.SORTED_SET, MANY_KEYS, Asynchronous.FEW);
    asynchronous(report, 4, AsyncContender.SORTED_SET, HOT_ALLOWED, Asynchronous.MANY);
    double log = fromJava.perSecond(SASH_LOG_BELIEVING, MANY_KEYS, CALLERS);
    report.atLeast(
        1,
        "32 threads that wait, 10,000 keys: as much as the usual log",
        log / fromJava.perSecond(SORTED_SET, MANY_KEYS, CALLERS),
        "×");
    report.atLeast(
        2.5,
        "32 threads that wait, 10,000 keys: 2.5 × Bucket4j",
        log / fromJava.perSecond(BUCKET4J, MANY_KEYS, CALLERS),
        "×");
    report.atLeast(
        1,
        "one caller: as much as the usual log",
        fromJava.perSecond(SASH_LOG_BELIEVING, MANY_KEYS, ONE)
            / fromJava.perSecond(SORTED_SET, MANY_KEYS, ONE),
        "×");
    report.atMost(
        1,
        "one caller, p99: at most the usual log's",
        fromJava.p99Micros(SASH_LOG_BELIEVING, MANY_KEYS, ONE)
            / fromJava.p99Micros(SORTED_SET, MANY_KEYS, ONE),
        "×");
    report.atMost(
        5.1,
        "exact log of 10,000 requests, one after another: at most 5.1 bytes for each",
        memory.perLoneRequest(10_000),
        "B");
    report.atLeast(
        20,
        "one key, mostly denied, 32 callers: 20 × by the deny cache",
        fromJava.perSecond(SASH_LOG_BELIEVING, HOT_DENIED, CALLERS)
            / fromJava.perSecond(SASH_LOG, HOT_DENIED, CALLERS),
        "×");
  }

  private void asynchronous(
      Report report, double least, AsyncContender to, Traffic traffic, int inFlight) {
    report.atLeast(
        least,
        "asynchronous, %d in flight, %s: %s × %s"
            .formatted(
                inFlight,
                traffic == MANY_KEYS ? "10,000 keys" : "one key",
                least == 1.4 ? "1.4" : String.format("%.0f", least),
                to == AsyncContender.SORTED_SET ? "the usual log" : to.label()),
        asynchronous.ratio(AsyncContender.SASH_LOG, to, traffic, inFlight),
        "×");
  }

  private double onServer(ScriptContender contender) {
    return serverSide.perSecond(contender, MANY_KEYS);
  }
}
