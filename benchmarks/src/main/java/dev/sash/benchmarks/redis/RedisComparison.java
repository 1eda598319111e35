package dev.sash.benchmarks.redis;

import static dev.sash.benchmarks.redis.RedisContender.BUCKET4J;
import static dev.sash.benchmarks.redis.RedisContender.REDISSON;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG_BELIEVING;
import static dev.sash.benchmarks.redis.Traffic.HOT_DENIED;
import static dev.sash.benchmarks.redis.Traffic.MANY_KEYS;

import dev.sash.benchmarks.Machine;
import dev.sash.benchmarks.Report;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;

/**
 * {@code ./sash bench redis}: everything that is decided on a Redis server, in one run, on a server
 * of its own that ends with it.
 */
public final class RedisComparison {
  private static final int CALLERS = 32;

  private final ServerSide serverSide;
  private final FromJava fromJava;
  private final Ladder ladder;
  private final KeyMemory memory;

  private RedisComparison(RedisServer server, Clients clients, boolean quick) {
    serverSide = new ServerSide(server, quick);
    fromJava = new FromJava(server, clients, quick);
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
    try (fromJava) {
      fromJava.measure();
    }
    ladder.measure();
  }

  private void describe(Report report) {
    goals(report);
    serverSide.describe(report);
    fromJava.describe(report);
    ladder.describe(report);
    memory.describe(report);
  }

  private void goals(Report report) {
    report.goals();
    report.atMost(
        6.5,
        "exact log of 10,000: at most 6.5 bytes for each logged request",
        memory.perRequest(SASH_LOG_BELIEVING, 10_000),
        "B");
    report.atLeast(
        1.3,
        "exact log on the server: 1.3 × the usual log (aim 1.6)",
        onServer(ScriptContender.SASH_LOG) / onServer(ScriptContender.SORTED_SET),
        "×");
    report.atLeast(
        1.2,
        "sliding counter on the server: 1.2 × the usual counter",
        onServer(ScriptContender.SASH_COUNTER) / onServer(ScriptContender.TWO_KEYS),
        "×");
    double log = fromJava.perSecond(SASH_LOG_BELIEVING, MANY_KEYS, CALLERS);
    report.atLeast(
        2,
        "from Java, 32 callers, 10,000 keys: 2 × Bucket4j",
        log / fromJava.perSecond(BUCKET4J, MANY_KEYS, CALLERS),
        "×");
    report.atLeast(
        4,
        "from Java, 32 callers, 10,000 keys: 4 × Redisson on one connection",
        log / fromJava.perSecond(REDISSON, MANY_KEYS, CALLERS),
        "×");
    report.atLeast(
        20,
        "one key, mostly denied, 32 callers: 20 × by the deny cache",
        fromJava.perSecond(SASH_LOG_BELIEVING, HOT_DENIED, CALLERS)
            / fromJava.perSecond(SASH_LOG, HOT_DENIED, CALLERS),
        "×");
    report.atMost(
        5,
        "p99 added to the bare script by the limiter while Redis is well: at most 5 %",
        100 * (ladder.p99Ratio() - 1),
        "%");
  }

  private double onServer(ScriptContender contender) {
    return serverSide.perSecond(contender, MANY_KEYS);
  }
}
