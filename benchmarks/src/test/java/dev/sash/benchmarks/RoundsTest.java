package dev.sash.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final Rounds<Integer> rounds = new Rounds<>();

  @Test
  void keepsTheCasesApart() {
    rounds.add(1, "log", 32);
    rounds.add(2, "log", 256);
    assertThat(rounds.median(Integer::doubleValue, "log", 32)).isEqualTo(1);
    assertThat(rounds.median(Integer::doubleValue, "log", 256)).isEqualTo(2);
    assertThat(rounds.median(Integer::doubleValue, "log", 1)).isNaN();
  }

  @Test
  void oneBadRoundDoesNotMoveTheMedian() {
    for (int sample : new int[] {11, 1_000_000, 10}) {
      rounds.add(sample, "log");
    }
    assertThat(rounds.median(Integer::doubleValue, "log")).isEqualTo(11);
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Rounds.median(4, 1, 2, 100)).isEqualTo(3);
  }

  @Test
  void everyRoundBeginsWithAnother() {
    List<String> contenders = List.of("a", "b", "c");
    assertThat(Rounds.order(contenders, 0)).containsExactly("a", "b", "c");
    assertThat(Rounds.order(contenders, 1)).containsExactly("c", "a", "b");
    assertThat(Rounds.order(contenders, 4)).containsExactly("c", "a", "b");
  }

  @Test
  void addsUpAllRoundsOfACase() {
    rounds.add(1, "log");
    rounds.add(2, "log");
    rounds.add(4, "other");
    assertThat(rounds.sum(Integer::doubleValue, "log")).isEqualTo(3);
  }

  @Test
  void comparesTwoCasesRoundByRound() {
    int[][] moods = {{10, 11}, {100, 120}, {1_000, 1_300}};
    for (int[] mood : moods) {
      rounds.add(mood[0], "none");
      rounds.add(mood[1], "log");
    }
    assertThat(rounds.median((a, b) -> a / b, Integer::doubleValue, "log", "none")).isEqualTo(1.2);
    assertThat(rounds.median((a, b) -> a - b, Integer::doubleValue, "log", "none")).isEqualTo(20);
    assertThat(rounds.median((a, b) -> a - b, Integer::doubleValue, "log", "other")).isNaN();
  }

  @Test
  void everyOtherRoundGoesBack() {
    List<String> contenders = List.of("a", "b", "c");
    assertThat(Rounds.forthAndBack(contenders, 0)).containsExactly("a", "b", "c");
    assertThat(Rounds.forthAndBack(contenders, 1)).containsExactly("c", "b", "a");
    assertThat(Rounds.forthAndBack(contenders, 2)).containsExactly("a", "b", "c");
  }
}
