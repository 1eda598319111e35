package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What a decision costs the server, whatever the client. */
final class ServerSide {
  /**
   * One run of a script.
   *
   * @param perSecond decisions per second
   * @param cpuMicros time on the server's processor for a decision
   */
  private record Cost(double perSecond, double cpuMicros) {}

  private static final List<Traffic> TRAFFIC = List.of(Traffic.MANY_KEYS, Traffic.HOT_DENIED);
  private static final List<ScriptContender> CONTENDERS = List.of(ScriptContender.values());

  private final RedisServer server;
  private final boolean quick;
  private final Rounds<Cost> costs = new Rounds<>();

  ServerSide(RedisServer server, boolean quick) {
    this.server = server;
    this.quick = quick;
  }

  void measure() throws IOException {
    try (Pipeline pipeline = new Pipeline(server.host(), server.port())) {
      for (ScriptContender contender : CONTENDERS) {
        prove(pipeline, contender);
      }
      int rounds = quick ? 5 : 7;
      for (int round = 0; round < rounds; round++) {
        for (Traffic traffic : TRAFFIC) {
          for (ScriptContender contender : Rounds.order(CONTENDERS, round)) {
            measure(pipeline, contender, traffic);
          }
        }
      }
    }
  }

  private void prove(Pipeline pipeline, ScriptContender contender) throws IOException {
    if (contender.limits()) {
      server.command("FLUSHALL", "SYNC");
      Script script = contender.script(Proof.PERMITS, Proof.WINDOW);
      Proof.check(
          contender.label(), pipeline.ask(requests(script, List.of("proof")), Proof.REQUESTS));
    }
  }

  /** The same number of decisions for all, so that faster contenders do not have fuller keys. */
  private void measure(Pipeline pipeline, ScriptContender contender, Traffic traffic)
      throws IOException {
    int count = quick ? 40_000 : 100_000;
    server.command("FLUSHALL", "SYNC");
    Script script = contender.script(traffic.permits(), Traffic.WINDOW);
    Supplier<byte[]> requests = requests(script, traffic.keys());
    pipeline.ask(requests, count / 2);
    double cpuBefore = server.cpuSeconds();
    long begin = System.nanoTime();
    long allowed = pipeline.ask(requests, count);
    double seconds = (System.nanoTime() - begin) / 1e9;
    double cpu = server.cpuSeconds() - cpuBefore;
    if (contender.limits()) {
      traffic.check(contender.label(), (double) allowed / count);
    }
    Cost cost = new Cost(count / seconds, cpu * 1e6 / count);
    costs.add(cost, contender, traffic);
    System.out.printf(
        "  %-48s %-12s %9.0f/s %6.2f µs%n",
        contender.label(), traffic, cost.perSecond, cost.cpuMicros);
  }

  /** Calls for one key after the other, in the same random order for every script. */
  private Supplier<byte[]> requests(Script script, List<String> keys) {
    String sha1 =
        Objects.requireNonNull(server.command("SCRIPT", "LOAD", script.source())).toString();
    SplittableRandom random = new SplittableRandom(keys.size());
    if (!script.repeats()) {
      return () -> Pipeline.request(sha1, script.call(keys.get(random.nextInt(keys.size()))));
    }
    byte[][] prepared =
        keys.stream().map(key -> Pipeline.request(sha1, script.call(key))).toArray(byte[][]::new);
    return () -> prepared[random.nextInt(prepared.length)];
  }

  double perSecond(ScriptContender contender, Traffic traffic) {
    return costs.median(Cost::perSecond, contender, traffic);
  }

  void describe(Report report) {
    report.section("On the server");
    report.paragraph(
        "One connection, requests in batches of "
            + Pipeline.BATCH
            + ", of which "
            + Pipeline.BATCHES
            + " are under way. Decisions per second, × the usual log, and the time on Redis's processor for one.");
    report.table(
        "",
        "10,000 keys, mostly allowed",
        "× usual log",
        "CPU µs",
        "one key, mostly denied",
        "× usual log",
        "CPU µs");
    for (ScriptContender contender : CONTENDERS) {
      report.row(
          Stream.concat(
                  Stream.of(contender.label()),
                  TRAFFIC.stream().flatMap(traffic -> cells(contender, traffic)))
              .toArray(String[]::new));
    }
  }

  private Stream<String> cells(ScriptContender contender, Traffic traffic) {
    double perSecond = perSecond(contender, traffic);
    return Stream.of(
        String.format("%,.0f", perSecond),
        String.format("%.2f", perSecond / perSecond(ScriptContender.SORTED_SET, traffic)),
        String.format("%.2f", costs.median(Cost::cpuMicros, contender, traffic)));
  }
}
