package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Asked;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.redis.Callers.Load;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What the deadline, the breaker and the failure rule cost while Redis is well: a limiter beside
 * its own script called by Lettuce alone, in many short pairs. A pair is over before the machine
 * changes its mood, so each gives a ratio of its own, and the median of the ratios counts.
 */
final class Ladder {
  private record Pair(Load bare, Load limiter) {
    double ratio(ToDoubleFunction<Load> figure) {
      return figure.applyAsDouble(limiter) / figure.applyAsDouble(bare);
    }
  }

  private static final int CALLERS = 32;

  private final RedisServer server;
  private final Clients clients;
  private final boolean quick;
  private final List<Pair> pairs = new ArrayList<>();

  Ladder(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.quick = quick;
  }

  void measure() {
    try (Callers callers = new Callers(CALLERS)) {
      Load unusedBare = ask(callers, RedisContender.SASH_BARE); // warms up
      int rounds = quick ? 16 : 40;
      for (int round = 0; round < rounds; round += 2) {
        Load bare = ask(callers, RedisContender.SASH_BARE);
        keep(new Pair(bare, ask(callers, RedisContender.SASH_LOG)));
        Load limiter = ask(callers, RedisContender.SASH_LOG); // now the other way round
        keep(new Pair(ask(callers, RedisContender.SASH_BARE), limiter));
      }
    }
  }

  private void keep(Pair pair) {
    pairs.add(pair);
    System.out.printf(
        "  limiter / bare script  %.3f of the decisions/s, %.3f × p50, %.3f × p99%n",
        pair.ratio(Load::perSecond), pair.ratio(Load::p50Micros), pair.ratio(Load::p99Micros));
  }

  private Load ask(Callers callers, RedisContender contender) {
    server.command("FLUSHALL", "SYNC");
    Asked asked = contender.limiter(clients, new Task(Traffic.MANY_KEYS));
    Load load =
        callers.ask(
            asked,
            Traffic.MANY_KEYS.keys(),
            Duration.ofMillis(100),
            Duration.ofMillis(quick ? 300 : 500));
    Traffic.MANY_KEYS.check(contender.label(), load.allowed());
    return load;
  }

  /** The limiter's 99th percentile, as a multiple of the bare script's. */
  double p99Ratio() {
    return median(pair -> pair.ratio(Load::p99Micros));
  }

  void describe(Report report) {
    report.section("What the limiter adds to its script");
    report.paragraph(
        ("%d callers, %s: the exact log by a limiter without deny cache (deadline, breaker, failure"
                + " rule), beside the same script called by Lettuce's `evalsha(…).get()`. Medians"
                + " of %d pairs.")
            .formatted(CALLERS, Traffic.MANY_KEYS.label(), pairs.size()));
    report.table("", "bare script", "limiter", "limiter / bare");
    row(report, "decisions per second", Load::perSecond);
    row(report, "p50, µs", Load::p50Micros);
    row(report, "p99, µs", Load::p99Micros);
  }

  private void row(Report report, String name, ToDoubleFunction<Load> figure) {
    report.row(
        name,
        String.format("%,.0f", median(pair -> figure.applyAsDouble(pair.bare))),
        String.format("%,.0f", median(pair -> figure.applyAsDouble(pair.limiter))),
        String.format("%.3f", median(pair -> pair.ratio(figure))));
  }

  private double median(ToDoubleFunction<Pair> figure) {
    return Rounds.median(pairs.stream().mapToDouble(figure).toArray());
  }
}
