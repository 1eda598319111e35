package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTest {
  private static final Look PLAIN = new Look(true, false);
  private static final Look ASCII = new Look(false, false);
  private static final Look COLOURED = new Look(true, true);

  @Test
  void fitsEightyColumns() {
    for (Look look : List.of(PLAIN, ASCII)) {
      assertThat(Demo.text(look).lines())
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }
  }

  @Test
  void showsEveryContenderInEveryScenario() {
    List<String> lines = Demo.text(PLAIN).lines().toList();

    for (Contender contender : Demo.CONTENDERS) {
      assertThat(lines).filteredOn(line -> line.startsWith(contender.name())).hasSize(3);
      assertThat(contender.name()).hasSizeLessThanOrEqualTo(Report.NAME_COLUMNS);
    }
  }

  @Test
  void marksTheRunsThatWentOverTheLimitAndOnlyThose() {
    List<String> rows =
        Demo.text(PLAIN).lines().filter(line -> line.matches(".* (ok|OVER) .*")).toList();

    assertThat(rows).hasSize(15);
    assertThat(rows)
        .allSatisfy(row -> assertThat(row.contains("▲")).isEqualTo(row.contains("OVER")));
    assertThat(rows).filteredOn(row -> row.contains("OVER")).hasSize(6);
    assertThat(rows).filteredOn(row -> row.contains("log")).noneMatch(row -> row.contains("OVER"));
  }

  @Test
  void rowsReadFromNameToChart() {
    assertThat(Demo.text(PLAIN).lines())
        .contains(
            "fixed window     100  100    0   200    200 OVER ·········█▲▲▲▲▲▲▲▲▲▲█·········");
    assertThat(Demo.text(ASCII).lines())
        .contains(
            "fixed window     100  100    0   200    200 OVER _________#!!!!!!!!!!#_________");
  }

  @Test
  void drawsTheConclusionsFromTheRuns() {
    assertThat(Demo.text(ASCII).lines().filter(line -> line.startsWith("=>")))
        .containsExactly(
            "=> Fixed window let 200 into one minute, 100 % over the limit; sliding log 100.",
            "=> All 300 fit: sliding log denied 0, sliding counter 1, log in 12 cells 18.",
            "=> Sliding counter let 200 into one minute, by timing alone; sliding log 100.");
  }

  @Test
  void plainAsciiIsPlainAscii() {
    assertThat(Demo.text(ASCII)).matches("[\\n\\r -~]*");
  }

  @Test
  void coloursChangeNothingButTheColour() {
    String coloured = Demo.text(COLOURED);

    assertThat(coloured).contains("\u001b[1;31m");
    assertThat(coloured.replaceAll("\u001b\\[[0-9;]*m", "")).isEqualTo(Demo.text(PLAIN));
    assertThat(Demo.text(PLAIN)).doesNotContain("\u001b");
  }
}
