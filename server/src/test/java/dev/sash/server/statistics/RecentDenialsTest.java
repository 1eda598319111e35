package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import org.junit.jupiter.api.Test;

class RecentDenialsTest {
  private final RecentDenials denials = new RecentDenials();

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      String policy = i % 2 == 0 ? "even" : "odd";
      denials.add(new Denial(i, policy, Limit.parse("1/1s"), "k" + i, 1, 1, 1, false));
    }
  }

  @Test
  void returnsTheLatestFirst() {
    assertThat(denials.latest(null, 10)).isEmpty();
    add(0, 5);
    assertThat(denials.latest(null, 3)).extracting(Denial::timeMillis).containsExactly(4L, 3L, 2L);
    assertThat(denials.latest("even", 10))
        .extracting(Denial::timeMillis)
        .containsExactly(4L, 2L, 0L);
    assertThat(denials.latest("other", 10)).isEmpty();
  }

  @Test
  void keepsTheLastThousand() {
    add(0, 2_345);
    assertThat(denials.latest(null, 5_000)).hasSize(1_000);
    assertThat(denials.latest(null, 5_000).get(0).timeMillis()).isEqualTo(2_344);
    assertThat(denials.latest(null, 5_000).get(999).timeMillis()).isEqualTo(1_345);
  }
}
