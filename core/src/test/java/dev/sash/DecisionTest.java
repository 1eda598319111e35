package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision.Source;
import dev.sash.store.Decisions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Limit LIMIT = Limit.slidingLog(10, Duration.ofMinutes(1));

  @Test
  void anAllowedDecisionNeedsNoWait() {
    Decision decision = Decisions.allowed(LIMIT, 4, 6, 60_000_000, Source.STORE);

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
    Decision decision = Decisions.denied(LIMIT, 9, 1, 30_000_001, 50_000_000, Source.OVERFLOW);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.neverAllowed()).isFalse();
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofNanos(30_000_001_000L));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(50));
    assertThat(decision.source()).isEqualTo(Source.OVERFLOW);
  }

  @Test
  void aRequestThatIsHeldBackIsDeniedWithTheStateOfItsKey() {
    Decision state = Decisions.allowed(LIMIT, 4, 6, 20_000_000, Source.STORE);

    assertThat(state.deniedFor(5_000_000))
        .isEqualTo(Decisions.denied(LIMIT, 4, 6, 5_000_000, 20_000_000, Source.STORE));
    assertThat(state.deniedFor(30_000_000).resetAfter()).isEqualTo(Duration.ofSeconds(30));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> state.deniedFor(0))
        .withMessage("retryMicros must be between 1 and 9223372036854775807, was 0");
  }

  @Test
  void anImpossibleRequestWaitsForEver() {
    Decision decision = Decisions.neverAllowed(LIMIT, 9, 1, 50_000_000, Source.STORE);

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.retryAfter()).isEqualTo(Decision.NEVER);
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(50));
  }

  @Test
  void holdsTheLargestNumbers() {
    Limit bucket = Limit.tokenBucket(1, Duration.ofDays(366)).withCapacity(1_000_000_000);
    Decision decision =
        Decisions.denied(bucket, 2_000_000_000, 1_000_000_000, 1L << 62, 1L << 62, Source.STORE);

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

    assertThat(Decisions.allowed(bucket, 1, 199, 20_000, Source.STORE).limit()).isEqualTo(200);
  }

  @Test
  void isEqualIffEveryFieldIs() {
    Decision decision = Decisions.denied(LIMIT, 9, 1, 30, 50, Source.STORE);
    Decision same = Decisions.denied(Limit.parse("10/1m sliding-log"), 9, 1, 30, 50, Source.STORE);
    List<Decision> others =
        List.of(
            Decisions.allowed(LIMIT, 9, 1, 50, Source.STORE),
            Decisions.neverAllowed(LIMIT, 9, 1, 50, Source.STORE),
            Decisions.denied(Limit.parse("11/1m"), 9, 1, 30, 50, Source.STORE),
            Decisions.denied(LIMIT, 8, 1, 30, 50, Source.STORE),
            Decisions.denied(LIMIT, 9, 2, 30, 50, Source.STORE),
            Decisions.denied(LIMIT, 9, 1, 31, 50, Source.STORE),
            Decisions.denied(LIMIT, 9, 1, 30, 51, Source.STORE),
            Decisions.denied(LIMIT, 9, 1, 30, 50, Source.OVERFLOW));

    assertThat(decision).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(others).doesNotContain(decision).doesNotHaveDuplicates();
    assertThat(decision).isNotEqualTo(null).isNotEqualTo("denied");
  }

  @Test
  void aDenialAlwaysNeedsAWait() {
    for (long retryAfter : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Decisions.denied(LIMIT, 9, 1, retryAfter, 50, Source.STORE))
          .withMessageStartingWith("retryAfterMicros must be between 1 and ");
    }
  }

  @Test
  void aDenialEndsSoonerAsTimePasses() {
    Decision denied = Decisions.denied(LIMIT, 9, 1, 30, 50, Source.STORE);
    Decision never = Decisions.neverAllowed(LIMIT, 9, 1, 50, Source.STORE);

    assertThat(Decisions.later(denied, 20, Source.DENY_CACHE))
        .isEqualTo(Decisions.denied(LIMIT, 9, 1, 10, 30, Source.DENY_CACHE));
    assertThat(Decisions.later(denied, 40, Source.DENY_CACHE))
        .as("still a denial")
        .isEqualTo(Decisions.denied(LIMIT, 9, 1, 1, 10, Source.DENY_CACHE));
    assertThat(Decisions.later(never, 60, Source.DENY_CACHE))
        .isEqualTo(Decisions.neverAllowed(LIMIT, 9, 1, 0, Source.DENY_CACHE));
  }

  @Test
  void keepsEverythingElseWhenTheSourceOrTheUsagesChange() {
    List<LimitUsage> usages =
        List.of(new LimitUsage(LIMIT, 9, 3, Duration.ofSeconds(5), List.of()));
    for (Decision decision :
        List.of(
            Decisions.allowed(LIMIT, 4, 6, 60, Source.STORE),
            Decisions.denied(LIMIT, 9, 1, 30, 50, Source.STORE),
            Decisions.neverAllowed(LIMIT, 9, 1, 50, Source.STORE))) {
      Decision local = Decisions.withSource(decision, Source.LOCAL);
      assertThat(local.source()).isEqualTo(Source.LOCAL);
      assertThat(Decisions.withSource(local, Source.STORE)).isEqualTo(decision);

      Decision inspected = Decisions.withUsages(decision, usages);
      assertThat(inspected.usages()).isEqualTo(usages);
      assertThat(inspected).isNotEqualTo(decision);
      assertThat(Decisions.withUsages(inspected, List.of())).isEqualTo(decision);
    }
  }

  @Test
  void describesItself() {
    assertThat(Decisions.allowed(LIMIT, 4, 6, 60_000_000, Source.STORE))
        .hasToString(
            "allowed by 10/1m sliding-log: used 4, remaining 6, retry after PT0S,"
                + " reset after PT1M, from STORE");
    assertThat(Decisions.denied(LIMIT, 9, 1, 30_500_000, 50_000_000, Source.OVERFLOW))
        .hasToString(
            "denied by 10/1m sliding-log: used 9, remaining 1, retry after PT30.5S,"
                + " reset after PT50S, from OVERFLOW");
    assertThat(Decisions.neverAllowed(LIMIT, 9, 1, 0, Source.STORE))
        .hasToString(
            "denied by 10/1m sliding-log: used 9, remaining 1, retry after never,"
                + " reset after PT0S, from STORE");
  }
}
