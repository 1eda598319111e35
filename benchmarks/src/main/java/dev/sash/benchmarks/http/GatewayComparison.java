package dev.sash.benchmarks.http;

import static dev.sash.benchmarks.http.HttpContender.GATEWAY;
import static dev.sash.benchmarks.http.HttpContender.GATEWAY_OWN;
import static dev.sash.benchmarks.http.HttpContender.GATEWAY_SASH;

import dev.sash.benchmarks.Report;
import dev.sash.benchmarks.Rounds;
import dev.sash.benchmarks.http.Contest.Flood;
import dev.sash.benchmarks.http.Contest.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Spring Cloud Gateway, limited by Sash and by its own rate limiter, on the same Redis. */
final class GatewayComparison {
  private static final List<HttpContender> CONTENDERS = HttpContender.gateways();

  private final boolean quick;
  private final Rounds<Flood> floods = new Rounds<>();
  private final Rounds<Pace> paces = new Rounds<>();

  GatewayComparison(boolean quick) {
    this.quick = quick;
  }

  static List<HttpContender> contenders() {
    return CONTENDERS;
  }

  /** Measures once, when all are warm. */
  void measure(Contest contest) throws IOException {
    for (HttpContender contender : CONTENDERS) {
      var unused = contest.flood(contender, Duration.ofSeconds(1)); // alone for the first time
    }
    for (int round = 0; round < (quick ? 25 : 60); round++) {
      for (HttpContender contender : Rounds.forthAndBack(CONTENDERS, round)) {
        floods.add(contest.flood(contender, Duration.ofMillis(200)), contender);
      }
    }
    Duration turn = Duration.ofMillis(quick ? 300 : 500);
    for (int round = 0; round < (quick ? 5 : 10); round++) {
      for (HttpContender contender : Rounds.forthAndBack(CONTENDERS, round)) {
        paces.add(contest.pace(contender, HttpComparison.PER_SECOND, turn), contender);
      }
    }
    for (HttpContender contender : CONTENDERS) {
      System.out.printf(
          "  %-38s %7.0f/s, so far%n",
          contender.label(), floods.median(Flood::perSecond, contender));
    }
  }

  void goals(Report report) {
    report.atLeast(
        1,
        "gateway: the throughput of its own RedisRateLimiter or more",
        ratio(GATEWAY_SASH, GATEWAY_OWN),
        "×");
  }

  void report(Report report) {
    report.section("Spring Cloud Gateway, on Redis");
    report.paragraph(
        "One route that the gateway answers itself, with the same load. Sash counts in a sliding"
            + " log, Gateway's own rate limiter in a token bucket. The ratio is that of the turns"
            + " of the same round; latencies are at "
            + String.format("%,d", HttpComparison.PER_SECOND)
            + " requests a second.");
    report.table("", "requests/s", "to its own", "CPU µs", "p50 µs", "p99 µs");
    for (HttpContender contender : CONTENDERS) {
      report.row(
          contender.label(),
          String.format("%,.0f", floods.median(Flood::perSecond, contender)),
          contender == GATEWAY_OWN || contender == GATEWAY
              ? ""
              : String.format("%.2f ×", ratio(contender, GATEWAY_OWN)),
          String.format(
              "%.1f",
              1e6
                  * floods.sum(Flood::cpuSeconds, contender)
                  / floods.sum(Flood::answered, contender)),
          String.format("%,.0f", paces.median(Pace::p50Micros, contender)),
          String.format("%,.0f", paces.median(Pace::p99Micros, contender)));
    }
  }

  private double ratio(HttpContender contender, HttpContender other) {
    return floods.median((a, b) -> a / b, Flood::perSecond, contender, other);
  }
}
