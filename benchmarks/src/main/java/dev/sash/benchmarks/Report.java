package dev.sash.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What was measured, as Markdown. Not thread-safe. */
public final class Report {
  /** Allocation and heap are averaged over noise of a few bytes in a million decisions. */
  private static final double TOLERANCE = 0.001;

  private final StringBuilder text = new StringBuilder();

  /** A report of that title; {@code about} says where and how it was measured. */
  public Report(String title, String about) {
    text.append("# ").append(title).append('\n');
    paragraph(about);
  }

  /** Begins a section. */
  public void section(String title) {
    text.append("\n## ").append(title).append('\n');
  }

  /** Adds some sentences. */
  public void paragraph(String sentences) {
    text.append('\n').append(sentences).append('\n');
  }

  /** Begins a table. */
  public void table(String... headings) {
    text.append('\n');
    row(headings);
    text.append("|---".repeat(headings.length)).append("|\n");
  }

  /** Adds to the table. */
  public void row(String... cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  /** Begins the section of goals, each of which {@link #atMost} or {@link #atLeast} adds. */
  public void goals() {
    section("Goals");
    table("goal", "measured", "");
  }

  /** A goal that is met by no more than {@code most}. */
  public void atMost(double most, String goal, double measured, String unit) {
    goal(goal, measured, unit, measured <= most * (1 + TOLERANCE));
  }

  /** A goal that is met by no less than {@code least}. */
  public void atLeast(double least, String goal, double measured, String unit) {
    goal(goal, measured, unit, measured >= least * (1 - TOLERANCE));
  }

  private void goal(String goal, double measured, String unit, boolean met) {
    boolean known = !Double.isNaN(measured);
    row(
        goal,
        known ? String.format("%.2f %s", measured, unit) : "not measured",
        met ? "met" : "**missed**");
  }

  /**
   * Prints the report, and saves it.
   *
   * @param name of the file under {@code benchmarks/results}
   */
  void publish(String name) throws IOException {
    System.out.printf("%n%s%n", text);
    Path file = Path.of("benchmarks", "results", name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    System.out.println("saved as " + file);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
