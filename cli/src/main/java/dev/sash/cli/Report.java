package dev.sash.cli;

import java.util.List;

/** Lays out what the runs gave as text, in at most 80 columns. */
final class Report {
  static final int NAME_COLUMNS = 15;

  private static final int CHART_COLUMNS = 30;
  private static final int COLUMNS_PER_WINDOW = 10;

  private final Look look;
  private final StringBuilder text = new StringBuilder();

  Report(Look look) {
    this.look = look;
  }

  /** A time as minutes and seconds. */
  static String minutes(long micros) {
    long seconds = micros / 1_000_000;
    return String.format("%d:%02d", seconds / 60, seconds % 60);
  }

  Report line(String line) {
    text.append(line.stripTrailing()).append(System.lineSeparator());
    return this;
  }

  Report heading(String line) {
    return line(look.strong(line));
  }

  /** A table with a row for each run. */
  Report table(List<Run> runs) {
    long window = runs.get(0).contender().limit().windowMicros();
    StringBuilder times = new StringBuilder();
    StringBuilder axis = new StringBuilder();
    for (int i = 0; i < CHART_COLUMNS / COLUMNS_PER_WINDOW; i++) {
      times.append(String.format("%5s", minutes(i * window)));
      axis.append(String.format("%-" + COLUMNS_PER_WINDOW + "s", minutes(i * window)));
    }
    line(look.faint(header("", "admitted from", "", "worst", "spent in the minute before")));
    line(look.faint(header("", times.toString(), "total", "minute", axis.toString())));
    runs.forEach(this::row);
    return this;
  }

  Report takeaway(String sentence) {
    return line(look.strong(look.arrow() + " " + sentence));
  }

  private static String header(String... cells) {
    return String.format("%-" + NAME_COLUMNS + "s%15s%6s%7s      %s", (Object[]) cells)
        .stripTrailing();
  }

  private void row(Run run) {
    long window = run.contender().limit().windowMicros();
    StringBuilder row = new StringBuilder(String.format("%-" + NAME_COLUMNS + "s", run.name()));
    for (int i = 0; i < CHART_COLUMNS / COLUMNS_PER_WINDOW; i++) {
      row.append(String.format("%5d", run.admitted().countBetween(i * window, (i + 1) * window)));
    }
    row.append(String.format("%6d", run.admitted().count()));
    String worst = String.format("%7d %-4s ", run.worst(), run.isOver() ? "OVER" : "ok");
    row.append(run.isOver() ? look.bad(worst) : look.good(worst)).append(chart(run, window));
    line(row.toString());
  }

  private String chart(Run run, long window) {
    Chart chart = look.chart();
    String line =
        chart.draw(
            run.admitted(),
            run.contender().limit().permits(),
            window,
            window / COLUMNS_PER_WINDOW,
            CHART_COLUMNS);
    String over = String.valueOf(chart.over());
    return line.replaceAll("\\Q" + over + "\\E+", look.bad("$0"));
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
