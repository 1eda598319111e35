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
 * its own script called by Lettuce alone. They take turns so short that the machine, whose moods
 * change the 99th percentile by more than that, treats both alike.
 */
final class Ladder {
  private record Pair(Load bare, Load limiter) {
    double ratio(ToDoubleFunction<Load> figure) {
      return figure.applyAsDouble(limiter) / figure.applyAsDouble(bare);
    }
  }

  private static final int CALLERS = 32;
  private static final Duration WARM_UP = Duration.ofMillis(500);
  private static final Duration TURN = Duration.ofMillis(50);

  private final RedisServer server;
  private final Clients clients;
  private final boolean quick;
  private final List<Pair> rounds = new ArrayList<>();

  Ladder(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.quick = quick;
  }

  void measure() {
    try (Callers callers = new Callers(CALLERS)) {
      for (int round = 0; round < (quick ? 3 : 5); round++) {
        Pair pair = measure(callers);
        rounds.add(pair);
        System.out.printf(
            "  limiter / bare script  %.3f × decisions/s, %.3f × p50, %.3f × p99%n",
            pair.ratio(Load::perSecond), pair.ratio(Load::p50Micros), pair.ratio(Load::p99Micros));
      }
    }
  }

  private Pair measure(Callers callers) {
    server.command("FLUSHALL", "SYNC");
    Task task = new Task(Traffic.MANY_KEYS);
    Asked bare = RedisContender.SASH_BARE.limiter(clients, task);
    Asked limiter = RedisContender.SASH_LOG.limiter(clients, task);
    List<Load> loads =
        callers.askInTurns(List.of(bare, limiter), task.keys(), WARM_UP, TURN, quick ? 40 : 80);
    for (Load load : loads) {
      Traffic.MANY_KEYS.check("a limiter or its bare script", load.allowed());
    }
    return new Pair(loads.get(0), loads.get(1));
  }

  /** The limiter's 99th percentile, as a multiple of the bare script's. */
  double p99Ratio() {
    return median(pair -> pair.ratio(Load::p99Micros));
  }

  void describe(Report report) {
    report.section("What the limiter adds to its script");
    report.paragraph(
        ("%d callers, %s: the exact log by a limiter without deny cache (deadline, breaker, failure"
                + " rule), beside the same script called by Lettuce's `evalsha(…).get()`, in turns"
                + " of %d ms. Medians of %d rounds.")
            .formatted(CALLERS, Traffic.MANY_KEYS.label(), TURN.toMillis(), rounds.size()));
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
    return Rounds.median(rounds.stream().mapToDouble(figure).toArray());
  }
}
