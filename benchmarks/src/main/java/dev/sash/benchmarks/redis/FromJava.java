package dev.sash.benchmarks.redis;

import static dev.sash.benchmarks.redis.RedisContender.BUCKET4J;
import static dev.sash.benchmarks.redis.RedisContender.EMPTY;
import static dev.sash.benchmarks.redis.RedisContender.REDISSON;
import static dev.sash.benchmarks.redis.RedisContender.REDISSON_POOL;
import static dev.sash.benchmarks.redis.RedisContender.SASH_COUNTER;
import static dev.sash.benchmarks.redis.RedisContender.SASH_COUNTER_BELIEVING;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG;
import static dev.sash.benchmarks.redis.RedisContender.SASH_LOG_BELIEVING;
import static dev.sash.benchmarks.redis.RedisContender.SORTED_SET;

import dev.sash.benchmarks.Asked;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.redis.Callers.Load;
import dev.sash.benchmarks.redis.RedisContender.Task;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the threads of one process get, client and all. */
final class FromJava implements AutoCloseable {
  private static final List<RedisContender> CONTENDERS =
      List.of(
          SASH_LOG,
          SASH_LOG_BELIEVING,
          SASH_COUNTER,
          SASH_COUNTER_BELIEVING,
          SORTED_SET,
          EMPTY,
          BUCKET4J,
          REDISSON,
          REDISSON_POOL);

  private final RedisServer server;
  private final Clients clients;
  private final boolean quick;
  private final List<Callers> crowds = crowds();
  private final Rounds<Load> loads = new Rounds<>();

  FromJava(RedisServer server, Clients clients, boolean quick) {
    this.server = server;
    this.clients = clients;
    this.quick = quick;
  }

  private static List<Callers> crowds() {
    List<Callers> crowds =
        new ArrayList<>(List.of(new Callers(1), new Callers(32), new Callers(256)));
    Callers.virtual(32).ifPresent(crowds::add);
    Callers.virtual(256).ifPresent(crowds::add);
    return crowds;
  }

  void measure() {
    for (RedisContender contender : CONTENDERS) {
      prove(contender);
      warmUp(contender);
    }
    int rounds = quick ? 5 : 9;
    for (int round = 0; round < rounds; round++) {
      for (Traffic traffic : Traffic.values()) {
        for (RedisContender contender : Rounds.order(CONTENDERS, round)) {
          measure(contender, traffic);
        }
      }
    }
  }

  private void prove(RedisContender contender) {
    if (!contender.limits()) {
      return;
    }
    String key = "proof";
    Asked asked = fresh(contender, new Task(List.of(key), Proof.PERMITS, Proof.WINDOW));
    long allowed = 0;
    for (int i = 0; i < Proof.REQUESTS; i++) {
      allowed += asked.tryAcquire(key) ? 1 : 0;
    }
    Proof.check(contender.label(), allowed);
  }

  private void warmUp(RedisContender contender) {
    Duration time = Duration.ofMillis(quick ? 1_000 : 3_000);
    Asked asked = fresh(contender, new Task(Traffic.MANY_KEYS));
    Load unused = crowds.get(1).ask(asked, Traffic.MANY_KEYS.keys(), Duration.ZERO, time);
  }

  private void measure(RedisContender contender, Traffic traffic) {
    Asked asked = fresh(contender, new Task(traffic));
    traffic.begin(asked);
    List<String> keys = traffic.keys();
    for (Callers callers : crowds) {
      Load load =
          callers.ask(asked, keys, Duration.ofMillis(50), Duration.ofMillis(quick ? 150 : 300));
      if (contender.limits()) {
        traffic.check(contender.label(), load.allowed());
      }
      loads.add(load, contender, traffic, callers.label());
      System.out.printf(
          "  %-40s %-12s %-12s %9.0f/s %8.0f µs %8.0f µs%n",
          contender.label(),
          traffic,
          callers.label(),
          load.perSecond(),
          load.p50Micros(),
          load.p99Micros());
    }
  }

  private Asked fresh(RedisContender contender, Task task) {
    server.command("FLUSHALL", "SYNC");
    return contender.limiter(clients, task);
  }

  double perSecond(RedisContender contender, Traffic traffic, String callers) {
    return loads.median(Load::perSecond, contender, traffic, callers);
  }

  double p99Micros(RedisContender contender, Traffic traffic, String callers) {
    return loads.median(Load::p99Micros, contender, traffic, callers);
  }

  void describe(Report report) {
    report.section("From Java");
    report.paragraph(
        "Threads that send a request and wait for the response. Decisions per second of all of"
            + " them (× Bucket4j), and the"
            + " microseconds that half and 99 % of the decisions took at most.");
    for (Traffic traffic : Traffic.values()) {
      List<String> headings = new ArrayList<>(List.of(traffic.label()));
      for (Callers callers : crowds) {
        headings.add(callers.label());
        headings.add("p50");
        headings.add("p99");
      }
      report.table(headings.toArray(String[]::new));
      for (RedisContender contender : CONTENDERS) {
        report.row(row(contender, traffic).toArray(String[]::new));
      }
    }
  }

  private List<String> row(RedisContender contender, Traffic traffic) {
    List<String> cells = new ArrayList<>(List.of(contender.label()));
    for (Callers callers : crowds) {
      String label = callers.label();
      double perSecond = perSecond(contender, traffic, label);
      double ratio = perSecond / perSecond(BUCKET4J, traffic, label);
      cells.add(String.format("%,.0f (%,.1f)", perSecond, ratio));
      cells.add(micros(loads.median(Load::p50Micros, contender, traffic, label)));
      cells.add(micros(p99Micros(contender, traffic, label)));
    }
    return cells;
  }

  private static String micros(double micros) {
    return Double.isNaN(micros) ? "–" : String.format(micros < 10 ? "%.2f" : "%,.0f", micros);
  }

  @Override
  public void close() {
    crowds.forEach(Callers::close);
  }
}
