package dev.sash.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportTest {
  private final Report report = new Report("Title", "About.");

  @Test
  void writesMarkdown() {
    report.section("Section");
    report.paragraph("Some words.");
    report.table("a", "b");
    report.row("1", "2");
    assertThat(report)
        .hasToString(
            "# Title\n\nAbout.\n\n## Section\n\nSome words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
  }

  @Test
  void aGoalIsMetOnTheRightSideOfItsBound() {
    report.atMost(5, "little", 4.9, "B");
    report.atMost(5, "too much", 5.1, "B");
    report.atLeast(2, "enough", 2.1, "×");
    report.atLeast(2, "too little", 1.9, "×");
    assertThat(report.toString())
        .contains(
            "| little | 4.90 B | met |",
            "| too much | 5.10 B | **missed** |",
            "| enough | 2.10 × | met |",
            "| too little | 1.90 × | **missed** |");
  }

  @Test
  void aGoalThatWasNotMeasuredIsMissed() {
    report.atMost(5, "most", Double.NaN, "B");
    report.atLeast(5, "least", Double.NaN, "B");
    assertThat(report.toString())
        .contains("| most | not measured | **missed** |", "| least | not measured | **missed** |");
  }
}
