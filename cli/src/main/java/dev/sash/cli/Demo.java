package dev.sash.cli;

import dev.sash.Limit;
import java.time.Duration;
import java.util.List;

/** The same traffic against every algorithm, on a simulated clock. */
final class Demo {
  static final int PERMITS = 100;
  static final int CELLS = 12;
  static final Duration WINDOW = Duration.ofMinutes(1);
  static final int WINDOWS = 3;

  static final Contender LOG = new Contender("sliding log", Limit.slidingLog(PERMITS, WINDOW));
  static final Contender CELLED_LOG =
      new Contender("log in " + CELLS + " cells", LOG.limit().withCells(CELLS));
  static final Contender COUNTER =
      new Contender("sliding counter", Limit.slidingCounter(PERMITS, WINDOW));
  static final Contender FIXED_WINDOW =
      new Contender("fixed window", Limit.fixedWindow(PERMITS, WINDOW));
  static final Contender TOKEN_BUCKET =
      new Contender("token bucket", Limit.tokenBucket(PERMITS, WINDOW));
  static final List<Contender> CONTENDERS =
      List.of(LOG, CELLED_LOG, COUNTER, FIXED_WINDOW, TOKEN_BUCKET);

  private Demo() {}

  /** What the demo prints. */
  static String text(Look look) {
    long window = LOG.limit().windowMicros();
    Report report = new Report(look);
    introduce(report, look);
    show(report, "1. ", Scenario.burstsAroundABoundary(PERMITS, window), Takeaway::theWorst);
    show(report, "2. ", Scenario.steadyStream(PERMITS, window, WINDOWS), Takeaway::falseDenials);
    show(report, "3. ", Scenario.attackOn(COUNTER), Takeaway::theCounter);
    return report
        .line("")
        .line("Next:  ./sash bench local --quick    how fast they decide here; takes minutes")
        .line("       Sash.inMemory(Limit.parse(\"100/1m\")).tryAcquire(\"user:42\")    in Java")
        .toString();
  }

  static List<Run> run(Scenario scenario) {
    return CONTENDERS.stream().map(contender -> Run.of(contender, scenario)).toList();
  }

  private static void introduce(Report report, Look look) {
    Chart chart = look.chart();
    report
        .heading(
            String.format(
                "Sash: %d permits per minute, counted in %d ways, under the same traffic",
                PERMITS, CONTENDERS.size()))
        .line("Worst minute: the most admitted in any true minute, wherever it begins.")
        .line(
            String.format(
                "Chart: what the last minute held;  %s up to the limit,  %s over it.",
                chart.levels(), chart.over()));
  }

  private static void show(Report report, String number, Scenario scenario, Takeaway takeaway) {
    List<Run> runs = run(scenario);
    report.line("").heading(number + scenario.title()).table(runs).takeaway(takeaway.of(runs));
  }
}
