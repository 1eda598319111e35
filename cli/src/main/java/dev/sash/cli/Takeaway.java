package dev.sash.cli;

import dev.sash.Algorithm;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** What a scenario showed, in a sentence made from its runs. */
@FunctionalInterface
interface Takeaway {
  String of(List<Run> runs);

  /** Who admitted most in one true window, beside the exact log. */
  static String theWorst(List<Run> runs) {
    int worst = runs.stream().mapToInt(Run::worst).max().orElseThrow();
    Run log = first(Algorithm.SLIDING_LOG, runs);
    long limit = log.contender().limit().permits();
    if (worst <= limit) {
      return "Nobody let more than " + limit + " into any true minute.";
    }
    String names =
        runs.stream()
            .filter(run -> run.worst() == worst)
            .map(Run::name)
            .collect(Collectors.joining(" and "));
    return String.format(
        "%s let %d into one minute, %d %% over the limit; %s %d.",
        capitalised(names), worst, (worst - limit) * 100 / limit, log.name(), log.worst());
  }

  /** What good timing got out of the counter in one true window, and out of the exact log. */
  static String theCounter(List<Run> runs) {
    Run counter = first(Algorithm.SLIDING_COUNTER, runs);
    Run log = first(Algorithm.SLIDING_LOG, runs);
    return String.format(
        "%s let %d into one minute, by timing alone; %s %d.",
        capitalised(counter.name()), counter.worst(), log.name(), log.worst());
  }

  /** Who denied how many of the requests, if all of them would have fitted. */
  static String falseDenials(List<Run> runs) {
    Run log = first(Algorithm.SLIDING_LOG, runs);
    Moments requests = log.requests();
    boolean allFit =
        requests.worstUsage(log.contender().limit().windowMicros())
            <= log.contender().limit().permits();
    String others =
        runs.stream()
            .filter(run -> !run.equals(log) && run.denied() > 0)
            .sorted(Comparator.comparing(Run::denied))
            .map(run -> ", " + run.name() + " " + run.denied())
            .collect(Collectors.joining());
    return String.format(
        "%s %d fit: %s denied %d%s.",
        allFit ? "All" : "Not all", requests.count(), log.name(), log.denied(), others);
  }

  private static String capitalised(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  private static Run first(Algorithm algorithm, List<Run> runs) {
    return runs.stream()
        .filter(run -> run.contender().limit().algorithm() == algorithm)
        .findFirst()
        .orElseThrow();
  }
}
