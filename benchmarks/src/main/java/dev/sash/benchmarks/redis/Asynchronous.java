package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.redis.InFlight.Limiter;
import dev.sash.benchmarks.redis.InFlight.Load;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one process gets that does not wait for answers, and what it costs Redis. */
final class Asynchronous {
  /**
   * One turn.
   *
   * @param perSecond decisions per second
   * @param cpuMicros time on the processor of Redis for a decision
   */
  private record Cost(double perSecond, double cpuMicros) {}

  static final int FEW = 32;
  static final int MANY = 256;

  private static final List<AsyncContender> CONTENDERS = List.of(AsyncContender.values());
  private static final List<Traffic> TRAFFIC = List.of(Traffic.MANY_KEYS, Traffic.HOT_ALLOWED);

  private final RedisServer server;
  private final Clients clients;
  private final boolean quick;
  private final Rounds<Cost> costs = new Rounds<>();

  Asynchronous(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.quick = quick;
  }

  void measure() {
    for (AsyncContender contender : CONTENDERS) {
      prove(contender);
      Limiter limiter = fresh(contender, new Task(Traffic.MANY_KEYS));
      Duration time = Duration.ofMillis(quick ? 1_000 : 3_000);
      Load unused = InFlight.ask(limiter, Traffic.MANY_KEYS.keys(), FEW, time);
    }
    int rounds = quick ? 5 : 9;
    for (int round = 0; round < rounds; round++) {
      for (Traffic traffic : TRAFFIC) {
        for (AsyncContender contender : Rounds.order(CONTENDERS, round)) {
          measure(contender, traffic, FEW);
          measure(contender, traffic, MANY);
        }
      }
    }
  }

  private void prove(AsyncContender contender) {
    if (contender.limits()) {
      String key = "proof";
      Limiter limiter = fresh(contender, new Task(List.of(key), Proof.PERMITS, Proof.WINDOW));
      long allowed = 0;
      for (int i = 0; i < Proof.REQUESTS; i++) {
        allowed += limiter.tryAcquire(key).toCompletableFuture().join() ? 1 : 0;
      }
      Proof.check(contender.label(), allowed);
    }
  }

  private void measure(AsyncContender contender, Traffic traffic, int inFlight) {
    Limiter limiter = fresh(contender, new Task(traffic));
    List<String> keys = traffic.keys();
    Load warmUp = InFlight.ask(limiter, keys, inFlight, Duration.ofMillis(50));
    double cpuBefore = server.cpuSeconds();
    Load load = InFlight.ask(limiter, keys, inFlight, Duration.ofMillis(quick ? 150 : 300));
    double cpu = server.cpuSeconds() - cpuBefore;
    if (contender.limits()) {
      traffic.check(contender.label(), Math.min(warmUp.allowed(), load.allowed()));
    }
    Cost cost = new Cost(load.perSecond(), cpu * 1e6 / load.decisions());
    costs.add(cost, contender, traffic, inFlight);
    System.out.printf(
        "  %-48s %-12s %3d in flight %9.0f/s %6.2f µs of Redis%n",
        contender.label(), traffic, inFlight, cost.perSecond, cost.cpuMicros);
  }

  private Limiter fresh(AsyncContender contender, Task task) {
    server.command("FLUSHALL", "SYNC");
    return contender.limiter(clients, task);
  }

  /** Returns how many decisions a contender makes for one of another. */
  double ratio(AsyncContender of, AsyncContender to, Traffic traffic, int inFlight) {
    return costs.median(Cost::perSecond, of, traffic, inFlight)
        / costs.median(Cost::perSecond, to, traffic, inFlight);
  }

  /** Returns what a decision of a contender costs Redis, as a multiple of another's. */
  double cpuRatio(AsyncContender of, AsyncContender to) {
    return costs.median(Cost::cpuMicros, of, Traffic.MANY_KEYS, MANY)
        / costs.median(Cost::cpuMicros, to, Traffic.MANY_KEYS, MANY);
  }

  void describe(Report report) {
    report.section("From Java, asynchronous");
    report.paragraph(
        "A fixed number of requests in flight; whenever one is answered, the next is sent."
            + " Decisions per second (× the usual log), and the microseconds on the processor of"
            + " Redis for one.");
    for (Traffic traffic : TRAFFIC) {
      report.table(traffic.label(), FEW + " in flight", "CPU µs", MANY + " in flight", "CPU µs");
      for (AsyncContender contender : CONTENDERS) {
        List<String> cells = new ArrayList<>(List.of(contender.label()));
        for (int inFlight : new int[] {FEW, MANY}) {
          cells.add(
              String.format(
                  "%,.0f (%.2f)",
                  costs.median(Cost::perSecond, contender, traffic, inFlight),
                  ratio(contender, AsyncContender.SORTED_SET, traffic, inFlight)));
          cells.add(
              String.format("%.2f", costs.median(Cost::cpuMicros, contender, traffic, inFlight)));
        }
        report.row(cells.toArray(String[]::new));
      }
    }
  }
}
