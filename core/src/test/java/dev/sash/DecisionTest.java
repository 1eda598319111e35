package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Limit LIMIT = Limit.slidingLog(10, Duration.ofMinutes(1));

  @Test
  void anAllowedDecisionNeedsNoWait() {
    Decision decision = Decision.allowed(LIMIT, 4, 6, 60_000_000, Source.STORE);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.neverAllowed()).isFalse();
    assertThat(decision.limit()).isEqualTo(10);
    assertThat(decision.used()).isEqualTo(4);
    assertThat(decision.remaining()).isEqualTo(6);
    assertThat(decision.retryAfter()).isZero();
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(decision.decidedBy()).isEqualTo(LIMIT);
    assertThat(decision.source()).isEqualTo(Source.STORE);
  }

  @Test
  void aDeniedDecisionTellsHowLongToWait() {
    Decision decision = Decision.denied(LIMIT, 9, 1, 30_000_001, 50_000_000, Source.OVERFLOW);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.neverAllowed()).isFalse();
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(30_000_001_000L));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(50));
    assertThat(decision.source()).isEqualTo(Source.OVERFLOW);
  }

  @Test
  void anImpossibleRequestWaitsForEver() {
    Decision decision = Decision.impossible(LIMIT, 9, 1, 50_000_000, Source.STORE);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(50));
  }

  @Test
  void holdsTheLargestNumbers() {
    Limit bucket = Limit.tokenBucket(1, Duration.ofDays(366)).withCapacity(1_000_000_000);
    Decision decision =
        Decision.denied(bucket, 2_000_000_000, 1_000_000_000, 1L << 62, 1L << 62, Source.STORE);

    assertThat(decision.limit()).isEqualTo(1_000_000_000);
    assertThat(decision.used()).isEqualTo(2_000_000_000);
    assertThat(decision.remaining()).isEqualTo(1_000_000_000);
    assertThat(decision.neverAllowed()).isFalse();
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(1_000).multipliedBy(1L << 62));
    assertThat(decision.resetAfter()).isEqualTo(decision.retryAfter());
  }

  @Test
  void theLimitOfATokenBucketIsItsCapacity() {
    Limit bucket = Limit.tokenBucket(50, Duration.ofSeconds(1)).withCapacity(200);

    assertThat(Decision.allowed(bucket, 1, 199, 20_000, Source.STORE).limit()).isEqualTo(200);
  }

  @Test
  void isEqualIffEveryFieldIs() {
    Decision decision = Decision.denied(LIMIT, 9, 1, 30, 50, Source.STORE);
    Decision same = Decision.denied(Limit.parse("10/1m sliding-log"), 9, 1, 30, 50, Source.STORE);
    List<Decision> others =
        List.of(
            Decision.allowed(LIMIT, 9, 1, 50, Source.STORE),
            Decision.impossible(LIMIT, 9, 1, 50, Source.STORE),
            Decision.denied(Limit.parse("11/1m"), 9, 1, 30, 50, Source.STORE),
            Decision.denied(LIMIT, 8, 1, 30, 50, Source.STORE),
            Decision.denied(LIMIT, 9, 2, 30, 50, Source.STORE),
            Decision.denied(LIMIT, 9, 1, 31, 50, Source.STORE),
            Decision.denied(LIMIT, 9, 1, 30, 51, Source.STORE),
            Decision.denied(LIMIT, 9, 1, 30, 50, Source.OVERFLOW));

    assertThat(decision).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(others).doesNotContain(decision).doesNotHaveDuplicates();
    assertThat(decision).isNotEqualTo(null).isNotEqualTo("denied");
    assertThat(Decision.allowed(LIMIT, 9, 1, 50, Source.STORE))
        .isNotEqualTo(Decision.denied(LIMIT, 9, 1, 0, 50, Source.STORE));
  }

  @Test
  void describesItself() {
    assertThat(Decision.allowed(LIMIT, 4, 6, 60_000_000, Source.STORE))
        .hasToString(
            "allowed by 10/1m sliding-log: used 4, remaining 6, retry after PT0S,"
                + " reset after PT1M, from STORE");
    assertThat(Decision.denied(LIMIT, 9, 1, 30_500_000, 50_000_000, Source.OVERFLOW))
        .hasToString(
            "denied by 10/1m sliding-log: used 9, remaining 1, retry after PT30.5S,"
                + " reset after PT50S, from OVERFLOW");
    assertThat(Decision.impossible(LIMIT, 9, 1, 0, Source.STORE))
        .hasToString(
            "denied by 10/1m sliding-log: used 9, remaining 1, retry after never,"
                + " reset after PT0S, from STORE");
  }
}
