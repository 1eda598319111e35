package dev.sash.server.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RotatingTest {
  private final AtomicInteger created = new AtomicInteger();
  private final Rotating<Integer> rotating = new Rotating<>(10, 3, created::incrementAndGet);

  @Test
  void keepsTheLastSlices() {
    assertThat(rotating.at(5)).isEqualTo(1);
    assertThat(rotating.at(9)).isEqualTo(1);
    assertThat(rotating.at(10)).isEqualTo(2);
    assertThat(rotating.at(29)).isEqualTo(3);
    assertThat(rotating.all(29)).containsExactly(1, 2, 3);
    assertThat(rotating.at(30)).isEqualTo(4);
    assertThat(rotating.all(30)).containsExactly(2, 3, 4);
    assertThat(rotating.all(59)).containsExactly(4);
    assertThat(rotating.all(60)).isEmpty();
  }

  @Test
  void aLateOneGoesToItsSliceOrTheNextThatThereIs() {
    rotating.at(5);
    rotating.at(25);
    assertThat(rotating.at(7)).isEqualTo(1);
    assertThat(rotating.at(15)).isEqualTo(2);
    assertThat(rotating.at(-5)).isEqualTo(1);
    assertThat(created).hasValue(2);
  }
}
