package dev.sash.benchmarks.redis;

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
}
