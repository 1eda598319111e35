package dev.sash.benchmarks.redis;

import static dev.sash.benchmarks.redis.RedisContender.SASH_BARE;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG;
import static java.util.Objects.requireNonNull;

import dev.sash.benchmarks.Asked;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.redis.Callers.Load;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What the deadline, the breaker and the failure rule cost while Redis is well: a limiter beside
 * its own script called by Lettuce alone. The machine's moods change the 99th percentile by far
 * more than that, so they take many short turns, and the medians of the turns are compared.
 */
final class Ladder {
  private static final List<RedisContender> CONTENDERS = List.of(SASH_BARE, SASH_LOG);
  private static final int CALLERS = 32;
  private static final int TURNS = 75;
  private static final Duration TURN = Duration.ofMillis(50);
  private static final Duration WARM_UP = Duration.ofMillis(10);

  private final RedisServer server;
  private final Clients clients;
  private final boolean quick;
  private final Rounds<Load> loads = new Rounds<>();

  Ladder(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.quick = quick;
  }

  void measure() {
    try (Callers callers = new Callers(CALLERS)) {
      for (int round = 0; round < (quick ? 2 : 6); round++) {
        measure(callers);
        System.out.printf(
            "  limiter / bare script  %.3f × decisions/s, %.3f × p50, %.3f × p99%n",
            ratio(Load::perSecond), ratio(Load::p50Micros), ratio(Load::p99Micros));
      }
    }
  }

  /** No more turns than the permits of an empty server last for. */
  private void measure(Callers callers) {
    server.command("FLUSHALL", "SYNC");
    Task task = new Task(Traffic.MANY_KEYS);
    Map<RedisContender, Asked> limiters = new EnumMap<>(RedisContender.class);
    CONTENDERS.forEach(contender -> limiters.put(contender, contender.limiter(clients, task)));
    for (int turn = 0; turn < TURNS; turn++) {
      for (RedisContender contender : Rounds.order(CONTENDERS, turn)) {
        Asked asked = requireNonNull(limiters.get(contender));
        Load load = callers.ask(asked, task.keys(), WARM_UP, TURN);
        Traffic.MANY_KEYS.check(contender.label(), load.allowed());
        loads.add(load, contender);
      }
    }
  }

  /** The limiter's 99th percentile, as a multiple of the bare script's. */
  double p99Ratio() {
    return ratio(Load::p99Micros);
  }

  private double ratio(ToDoubleFunction<Load> figure) {
    return loads.median(figure, SASH_LOG) / loads.median(figure, SASH_BARE);
  }

  void describe(Report report) {
    report.section("What the limiter adds to its script");
    report.paragraph(
        ("%d callers, %s: the exact log by a limiter without deny cache (deadline, breaker, failure"
                + " rule), beside the same script called by Lettuce's `evalsha(…).get()`. Medians"
                + " of turns of %d ms.")
            .formatted(CALLERS, Traffic.MANY_KEYS.label(), TURN.toMillis()));
    report.table("", "bare script", "limiter", "limiter / bare");
    row(report, "decisions per second", Load::perSecond);
    row(report, "p50, µs", Load::p50Micros);
    row(report, "p99, µs", Load::p99Micros);
  }

  private void row(Report report, String name, ToDoubleFunction<Load> figure) {
    report.row(
        name,
        String.format("%,.0f", loads.median(figure, SASH_BARE)),
        String.format("%,.0f", loads.median(figure, SASH_LOG)),
        String.format("%.3f", ratio(figure)));
  }
}
