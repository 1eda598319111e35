package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MomentsTest {
  private static final long WINDOW = 10;

  @Test
  void holdsNothingWhenNothingWasSpent() {
    Moments none = Moments.of(List.of());

    assertThat(none.worstUsage(WINDOW)).isZero();
    assertThat(none.usageAt(5, WINDOW)).isZero();
  }

  @Test
  void aWindowIncludesItsEndAndExcludesItsBeginning() {
    Moments spent = Moments.of(List.of(0L, 10L));

    assertThat(spent.usageAt(9, WINDOW)).isEqualTo(1);
    assertThat(spent.usageAt(10, WINDOW)).isEqualTo(1);
    assertThat(spent.worstUsage(WINDOW)).isEqualTo(1);
    assertThat(Moments.of(List.of(0L, 9L)).worstUsage(WINDOW)).isEqualTo(2);
  }

  @Test
  void countsEveryPermitOfTheSameTick() {
    assertThat(Moments.of(List.of(7L, 7L, 7L)).worstUsage(WINDOW)).isEqualTo(3);
  }

  @Test
  void findsTheWorstWindowAcrossAnAlignedBoundary() {
    Moments spent = Moments.of(List.of(1L, 8L, 9L, 11L, 12L, 13L, 30L));

    assertThat(spent.countBetween(0, 10)).isEqualTo(3);
    assertThat(spent.countBetween(10, 20)).isEqualTo(3);
    assertThat(spent.worstUsage(WINDOW)).isEqualTo(5);
  }

  @Test
  void aSliceSeesWhatItInheritsAndWhatIsSpentInIt() {
    Moments spent = Moments.of(List.of(1L, 2L, 14L));

    assertThat(spent.worstUsage(5, 10, WINDOW)).as("inherited").isEqualTo(2);
    assertThat(spent.worstUsage(11, 14, WINDOW)).as("one has left").isEqualTo(1);
    assertThat(spent.worstUsage(12, 15, WINDOW)).as("spent at its last tick").isEqualTo(1);
    assertThat(spent.worstUsage(24, 30, WINDOW)).as("all have left").isZero();
  }

  @Test
  void agreesWithALookAtEveryTick() {
    Moments spent = Moments.of(List.of(3L, 3L, 4L, 9L, 12L, 13L, 13L, 14L, 22L, 23L, 40L));
    int worst = 0;
    for (long now = 0; now < 60; now++) {
      int held = 0;
      for (long time : spent.toArray()) {
        held += time > now - WINDOW && time <= now ? 1 : 0;
      }
      assertThat(spent.usageAt(now, WINDOW)).as("at %d", now).isEqualTo(held);
      worst = Math.max(worst, held);
    }
    assertThat(spent.worstUsage(WINDOW)).isEqualTo(worst);
  }
}
