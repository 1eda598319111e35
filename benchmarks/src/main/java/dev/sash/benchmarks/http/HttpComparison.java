package dev.sash.benchmarks.http;

import static dev.sash.benchmarks.http.HttpContender.BUCKET4J_FILTER;
import static dev.sash.benchmarks.http.HttpContender.BUCKET4J_STARTER;
import static dev.sash.benchmarks.http.HttpContender.NONE;
import static dev.sash.benchmarks.http.HttpContender.SASH_MEMORY;

import dev.sash.benchmarks.Machine;
import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.http.Contest.Flood;
import dev.sash.benchmarks.http.Contest.Pace;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * {@code ./sash bench http}: what limiting costs the requests of a Spring Boot application, in one
 * run.
 *
 * <p>Two processes that do the same differ by what their compilers happened to do, and the machine
 * has its moods. Therefore everybody takes turns, only turns of the same round are compared, and
 * all processes are started anew several times.
 */
public final class HttpComparison {
  private static final List<HttpContender> CONTENDERS = HttpContender.shops();
  static final int PER_SECOND = 1_000;

  private final boolean quick;
  private final String machine;
  private final boolean bound;
  private final GatewayComparison gateway;
  private final Rounds<Flood> floods = new Rounds<>();
  private final Rounds<Pace> paces = new Rounds<>();

  private HttpComparison(boolean quick, RedisServer redis) {
    this.quick = quick;
    this.machine =
        Machine.describe(
            quick ? "./sash bench http --quick" : "./sash bench http",
            redis.binary().toString(),
            "Spring Boot",
            "bucket4j-spring-boot-starter",
            "Spring Cloud Gateway");
    this.gateway = new GatewayComparison(quick);
    this.bound = Cores.canBeChosen();
  }

  /** Measures, and returns the report. */
  public static Report run(boolean quick) throws IOException {
    try (RedisServer redis = RedisServer.start()) {
      HttpComparison comparison = new HttpComparison(quick, redis);
      int starts = quick ? 1 : 2;
      for (int start = 0; start < starts; start++) {
        comparison.measure(redis);
      }
      return comparison.report();
    }
  }

  /** What is measured of applications that are warm, each of which has its core. */
  @FunctionalInterface
  private interface Measurement {
    void of(Contest contest) throws IOException;
  }

  private void measure(RedisServer redis) throws IOException {
    measure(redis, CONTENDERS, this::measureShops);
    measure(redis, GatewayComparison.contenders(), gateway::measure);
  }

  private void measure(RedisServer redis, List<HttpContender> contenders, Measurement measurement)
      throws IOException {
    redis.command("FLUSHALL", "SYNC");
    System.out.printf("%d applications start and warm up ...%n", contenders.size());
    try (Contest contest = Contest.start(redis.uri(), contenders)) {
      contest.proveAndWarmUp();
      if (bound) {
        contest.bind();
        bindGeneratorAnd(redis, Cores.OF_GENERATOR);
      }
      measurement.of(contest);
    } finally {
      bindGeneratorAnd(redis, Cores.ALL);
    }
  }

  private void measureShops(Contest contest) throws IOException {
    for (HttpContender contender : CONTENDERS) {
      var unused = contest.flood(contender, Duration.ofSeconds(1)); // alone for the first time
    }
    for (int round = 0; round < (quick ? 5 : 10); round++) {
      flood(contest);
      pace(contest, round);
    }
  }

  private void bindGeneratorAnd(RedisServer redis, String cores) {
    if (bound
        && !(Cores.bind(ProcessHandle.current().pid(), cores) && Cores.bind(redis.pid(), cores))) {
      throw new IllegalStateException("cannot be bound to cores " + cores);
    }
  }

  /** Short turns and many of them: the machine's moods last longer than a turn. */
  private void flood(Contest contest) throws IOException {
    for (int round = 0; round < (quick ? 5 : 6); round++) {
      for (HttpContender contender : Rounds.forthAndBack(CONTENDERS, round)) {
        floods.add(contest.flood(contender, Duration.ofMillis(200)), contender);
      }
    }
    for (HttpContender contender : CONTENDERS) {
      System.out.printf(
          "  %-38s %7.0f/s %6.1f µs CPU, so far%n",
          contender.label(), floods.median(Flood::perSecond, contender), cpuMicros(contender));
    }
  }

  private void pace(Contest contest, int round) throws IOException {
    Duration turn = Duration.ofMillis(quick ? 300 : 500);
    for (HttpContender contender : Rounds.forthAndBack(CONTENDERS, round)) {
      Pace pace = contest.pace(contender, PER_SECOND, turn);
      paces.add(pace, contender);
      System.out.printf(
          "  %-38s %7.0f µs, 99 %% within %6.0f µs%n",
          contender.label(), pace.p50Micros(), pace.p99Micros());
    }
  }

  private Report report() {
    Report report =
        new Report(
            "What limiting costs over HTTP",
            machine
                + (bound
                    ? " The application has one core, the load generator (with Redis) another."
                    : " The application and the load generator share the cores.")
                + " Everybody takes turns; medians over the rounds of what each was to no limit in"
                + " the same round. No limit, in another process, differs by chance alone: no"
                + " smaller difference means anything.");
    goals(report);
    throughput(report);
    latency(report);
    gateway.report(report);
    return report;
  }

  private void goals(Report report) {
    report.goals();
    report.atMost(
        5, "in memory: at most 5 % of the throughput lost", lostPercent(SASH_MEMORY), "%");
    report.atLeast(
        1,
        "in memory: the throughput of Bucket4j's starter or more",
        throughputRatio(SASH_MEMORY, BUCKET4J_STARTER),
        "×");
    report.atLeast(
        1,
        "in memory: the throughput of Bucket4j in a filter written by hand, or more",
        throughputRatio(SASH_MEMORY, BUCKET4J_FILTER),
        "×");
    gateway.goals(report);
  }

  private void throughput(Report report) {
    report.section("As fast as it answers");
    report.paragraph(
        ("%d connections, each with a request under way at any time, for one of %,d API keys at"
                + " random. CPU is that of the whole process of the application, for one request.")
            .formatted(Generator.CONNECTIONS, Generator.KEYS));
    report.table("", "requests/s", "lost", "CPU µs", "added CPU µs", "busy");
    for (HttpContender contender : CONTENDERS) {
      boolean isFloor = contender == NONE;
      report.row(
          contender.label(),
          String.format("%,.0f", floods.median(Flood::perSecond, contender)),
          isFloor ? "" : String.format("%.1f %%", lostPercent(contender)),
          String.format("%.1f", cpuMicros(contender)),
          isFloor ? "" : String.format("%+.1f", cpuMicros(contender) - cpuMicros(NONE)),
          String.format("%.0f %%", 100 * busy(contender)));
    }
  }

  private void latency(Report report) {
    report.section(String.format("At %,d requests a second", PER_SECOND));
    report.paragraph(
        "One request after the other; microseconds from when it was due to the answer.");
    report.table("", "p50", "added", "p99", "added");
    for (HttpContender contender : CONTENDERS) {
      boolean isFloor = contender == NONE;
      report.row(
          contender.label(),
          String.format("%,.0f", paces.median(Pace::p50Micros, contender)),
          isFloor ? "" : added(Pace::p50Micros, contender),
          String.format("%,.0f", paces.median(Pace::p99Micros, contender)),
          isFloor ? "" : added(Pace::p99Micros, contender));
    }
  }

  private double lostPercent(HttpContender contender) {
    return 100 * (1 - throughputRatio(contender, NONE));
  }

  private double throughputRatio(HttpContender contender, HttpContender other) {
    return floods.median((a, b) -> a / b, Flood::perSecond, contender, other);
  }

  /** Over all rounds together: the system counts in steps of 10 ms. */
  private double cpuMicros(HttpContender contender) {
    return 1e6 * floods.sum(Flood::cpuSeconds, contender) / floods.sum(Flood::answered, contender);
  }

  private double busy(HttpContender contender) {
    return floods.sum(Flood::cpuSeconds, contender) / floods.sum(Flood::seconds, contender);
  }

  private String added(ToDoubleFunction<Pace> figure, HttpContender contender) {
    return String.format("%+.0f", paces.median((a, b) -> a - b, figure, contender, NONE));
  }
}
