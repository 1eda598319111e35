package dev.sash.store;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Release;
import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReleasesTest {
  private static Release release(long micros, long used) {
    return new Release(Duration.of(micros, MICROS), used);
  }

  @Test
  void aFewPermitsHaveAStepEach() {
    assertThat(Releases.of(3, step -> 10 * (3 - Releases.left(3, step))))
        .containsExactly(release(10, 2), release(20, 1), release(30, 0));
    assertThat(Releases.of(0, step -> 1)).isEmpty();
  }

  @Test
  void manyPermitsHaveTwentyStepsOfTheSameSize() {
    long used = 2_000_000_000;
    List<Release> releases = Releases.of(used, step -> step);

    assertThat(releases).hasSize(20);
    for (int i = 0; i < 20; i++) {
      assertThat(releases.get(i)).isEqualTo(release(i + 1, used / 20 * (19 - i)));
    }
    assertThat(Releases.left(19, 1)).isEqualTo(18);
    assertThat(Releases.left(41, 20)).isZero();
  }

  @Test
  void permitsThatLeaveTogetherAreOneStep() {
    assertThat(Releases.of(100, step -> step <= 10 ? 5 : 7))
        .containsExactly(release(5, 50), release(7, 0));
  }

  @Test
  void thereAreTwentySteps() {
    for (int step : new int[] {0, 21}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Releases.left(5, step))
          .withMessage("step must be between 1 and 20, was " + step);
    }
  }

  @Test
  void anInspectionOfEachAlgorithmSaysWhenItsPermitsLeave() {
    AtomicLong time = new AtomicLong();
    try (InMemoryStore store = InMemoryStore.builder().clock(time::get).build()) {
      RateLimiter limiter =
          store.limiter(
              Policy.of(
                  "all",
                  Limit.parse("9/1s"),
                  Limit.parse("9/1s fixed-window"),
                  Limit.parse("9/1s sliding-counter"),
                  Limit.parse("9/1s token-bucket")));
      limiter.tryAcquire("k", 2);
      time.set(400_000);
      limiter.tryAcquire("k", 1);

      assertThat(limiter.inspect("k").usages())
          .extracting(usage -> usage.releases())
          .containsExactly(
              List.of(release(600_000, 1), release(1_000_000, 0)),
              List.of(release(600_000, 0)),
              List.of(release(600_001, 2), release(933_334, 1), release(1_266_667, 0)),
              List.of(release(111_112, 0)));
    }
  }
}
