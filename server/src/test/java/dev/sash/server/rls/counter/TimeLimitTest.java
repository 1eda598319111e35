package dev.sash.server.rls.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
  private static final RateLimiter LIMITER =
      InMemoryStore.create()
          .limiter(Policy.of("api", Limit.parse("5/1m")).withDeadline(Duration.ofMillis(500)));

  @Test
  void aQuarterIsKeptForTheWay() {
    assertThat(TimeLimit.of(Duration.ofSeconds(40).toNanos()).left())
        .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
  }

  @Test
  void aShorterTimeBoundsTheDeadlineOfThePolicy() {
    RateLimiter bounded = TimeLimit.of(Duration.ofMillis(200).toNanos()).bounding(LIMITER);

    assertThat(bounded.policy().deadline()).isLessThanOrEqualTo(Duration.ofMillis(150));
    assertThat(bounded.policy().limits()).isEqualTo(LIMITER.policy().limits());
  }

  @Test
  void aTimeWithinTheGraceOfThePolicyEndsIt() {
    RateLimiter bounded = TimeLimit.of(Duration.ofMillis(1600).toNanos()).bounding(LIMITER);

    assertThat(bounded.policy().deadline()).isEqualTo(Duration.ofMillis(500));
    assertThat(bounded.policy().grace()).isZero();
  }

  @Test
  void aLongerTimeOrNoneChangesNothing() {
    assertThat(TimeLimit.NONE.bounding(LIMITER)).isSameAs(LIMITER);
    assertThat(TimeLimit.NONE.left()).isEqualTo(Duration.ofMinutes(1));
    assertThat(TimeLimit.of(Duration.ofSeconds(30).toNanos()).bounding(LIMITER)).isSameAs(LIMITER);
    assertThat(TimeLimit.of(Duration.ofHours(1).toNanos())).isSameAs(TimeLimit.NONE);
  }

  @Test
  void whenItIsOverTheFailureRuleDecidesAlmostAtOnce() {
    assertThat(TimeLimit.of(-1).left()).isEqualTo(Duration.ofNanos(100_000));
  }
}
