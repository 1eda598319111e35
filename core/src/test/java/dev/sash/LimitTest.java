package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final List<BiFunction<Long, Duration, Limit>> FACTORIES =
      List.of(Limit::slidingLog, Limit::slidingCounter, Limit::fixedWindow, Limit::tokenBucket);

  @Test
  void factoriesAreShortFormsOfOne() {
    assertThat(Limit.slidingLog(7, MINUTE))
        .isEqualTo(new Limit(Algorithm.SLIDING_LOG, 7, 60_000_000, 0, 7));
    assertThat(Limit.slidingCounter(7, MINUTE))
        .isEqualTo(new Limit(Algorithm.SLIDING_COUNTER, 7, 60_000_000, 0, 7));
    assertThat(Limit.fixedWindow(7, MINUTE))
        .isEqualTo(new Limit(Algorithm.FIXED_WINDOW, 7, 60_000_000, 0, 7));
    assertThat(Limit.tokenBucket(7, MINUTE))
        .isEqualTo(new Limit(Algorithm.TOKEN_BUCKET, 7, 60_000_000, 0, 7));
    assertThat(Limit.slidingLog(7, MINUTE).withCells(60))
        .isEqualTo(new Limit(Algorithm.SLIDING_LOG, 7, 60_000_000, 60, 7));
    assertThat(Limit.tokenBucket(7, MINUTE).withCapacity(70))
        .isEqualTo(new Limit(Algorithm.TOKEN_BUCKET, 7, 60_000_000, 0, 70));
  }

  @Test
  void acceptsTheBoundsThemselves() {
    for (BiFunction<Long, Duration, Limit> factory : FACTORIES) {
      assertThat(factory.apply(1L, Duration.ofMillis(1)).windowMicros()).isEqualTo(1_000);
      assertThat(factory.apply(1_000_000_000L, Duration.ofDays(366)).windowMicros())
          .isEqualTo(31_622_400_000_000L);
    }
    assertThat(Limit.slidingLog(1, Duration.ofMillis(1)).withCells(1_000).cells()).isEqualTo(1_000);
    assertThat(Limit.tokenBucket(1, MINUTE).withCapacity(1_000_000_000).capacity())
        .isEqualTo(1_000_000_000);
    assertThat(Limit.tokenBucket(1_000_000_000, MINUTE).withCapacity(1).capacity()).isOne();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1_000_000_001, Long.MAX_VALUE, Long.MIN_VALUE})
  void refusesPermitsOutOfBounds(long permits) {
    for (BiFunction<Long, Duration, Limit> factory : FACTORIES) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> factory.apply(permits, MINUTE))
          .withMessage("permits must be between 1 and 1000000000, was %d", permits);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0",
    "PT0.000999S, 999",
    "PT8784H0.000001S, 31622400000001",
    "PT9000H, 32400000000000",
    "PT2562047788015215H30M7S, 9223372036854775807",
  })
  void refusesWindowsOutOfBounds(Duration window, long micros) {
    for (BiFunction<Long, Duration, Limit> factory : FACTORIES) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> factory.apply(1L, window))
          .withMessage(
              "window in microseconds must be between 1000 and 31622400000000, was %d", micros);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT-0.000000001S",
        "PT-1S",
        "PT0.001000001S",
        "PT0.000000001S",
        "PT-2562047788015215H-30M-8S",
      })
  void refusesWindowsThatAreNegativeOrNotWholeMicroseconds(Duration window) {
    for (BiFunction<Long, Duration, Limit> factory : FACTORIES) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> factory.apply(1L, window))
          .withMessage(
              "window must be between 1 ms and 366 days, in whole microseconds, was %s", window);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 999, -1, 31_622_400_000_001L, Long.MAX_VALUE, Long.MIN_VALUE})
  void theConstructorRefusesWindowsOutOfBoundsToo(long micros) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Limit(Algorithm.SLIDING_LOG, 1, micros, 0, 1))
        .withMessage(
            "window in microseconds must be between 1000 and 31622400000000, was %d", micros);
  }

  @Test
  void cellsAreRoundedUpToWholeMicroseconds() {
    Limit log = Limit.slidingLog(10, Duration.ofMillis(1));

    assertThat(log.cellMicros()).isEqualTo(1);
    assertThat(log.withCells(1).cellMicros()).isEqualTo(1_000);
    assertThat(log.withCells(3).cellMicros()).isEqualTo(334);
    assertThat(log.withCells(1_000).cellMicros()).isEqualTo(1);
    assertThat(Limit.parse("10/1s token-bucket").cellMicros()).isEqualTo(1);
  }

  @Test
  void refusesCellsOutOfBounds() {
    Limit short1ms = Limit.slidingLog(1, Duration.ofMillis(1));
    Limit minute = Limit.slidingLog(1, MINUTE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> short1ms.withCells(1_001))
        .withMessage("cells must be between 0 and 1000, was 1001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> minute.withCells(1_000_001))
        .withMessage("cells must be between 0 and 1000000, was 1000001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> minute.withCells(-1))
        .withMessage("cells must be between 0 and 1000000, was -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> minute.withCells(Integer.MIN_VALUE))
        .withMessage("cells must be between 0 and 1000000, was -2147483648");
  }

  @Test
  void onlyTheSlidingLogHasCells() {
    for (Limit limit : List.of(Limit.slidingCounter(5, MINUTE), Limit.tokenBucket(5, MINUTE))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> limit.withCells(2))
          .withMessage(
              "cells must be 0 for %s (only sliding-log has cells), was 2", limit.algorithm());
    }
  }

  @Test
  void onlyTheTokenBucketHasACapacityOfItsOwn() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.fixedWindow(5, MINUTE).withCapacity(6))
        .withMessage(
            "capacity must equal permits (5) for fixed-window"
                + " (only token-bucket has a capacity of its own), was 6");
    assertThat(Limit.fixedWindow(5, MINUTE).withCapacity(5))
        .isEqualTo(Limit.fixedWindow(5, MINUTE));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1_000_000_001, Long.MAX_VALUE, Long.MIN_VALUE})
  void refusesCapacitiesOutOfBounds(long capacity) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.tokenBucket(5, MINUTE).withCapacity(capacity))
        .withMessage("capacity must be between 1 and 1000000000, was %d", capacity);
  }

  @Test
  void refusesNull() {
    assertThatNullPointerException()
        .isThrownBy(() -> new Limit(null, 1, 1_000, 0, 1))
        .withMessage("algorithm must not be null");
    assertThatNullPointerException()
        .isThrownBy(() -> Limit.slidingLog(1, null))
        .withMessage("window must not be null");
  }

  @Test
  void givesTheWindowBack() {
    for (Duration window :
        List.of(Duration.ofMillis(1), Duration.ofNanos(1_234_567_000), Duration.ofDays(366))) {
      assertThat(Limit.slidingLog(1, window).window()).isEqualTo(window);
    }
  }

  @Test
  void sharesStateWithLimitsThatDifferOnlyInPermits() {
    Limit limit = Limit.slidingLog(5, MINUTE);
    Limit bucket = Limit.tokenBucket(5, MINUTE);

    assertThat(limit.sharesStateWith(limit)).isTrue();
    assertThat(limit.sharesStateWith(Limit.slidingLog(6, MINUTE))).isTrue();
    assertThat(bucket.sharesStateWith(bucket.withCapacity(50))).isTrue();
    assertThat(limit.sharesStateWith(Limit.slidingLog(5, MINUTE.plusMillis(1)))).isFalse();
    assertThat(limit.sharesStateWith(limit.withCells(5))).isFalse();
    assertThat(limit.sharesStateWith(bucket)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/1m sliding-log",
        "1/1001us sliding-log",
        "1/1500ms sliding-counter",
        "86400/1d fixed-window",
        "5/7d fixed-window",
        "1000000/1d sliding-log cells=288",
        "50/1s token-bucket capacity=200",
      })
  void writesTheShorthand(String shorthand) {
    assertThat(Limit.parse(shorthand)).hasToString(shorthand);
  }

  @Test
  void knowsAlgorithmsByName() {
    for (Algorithm algorithm : Algorithm.values()) {
      assertThat(Algorithm.of(algorithm.id())).isSameAs(algorithm);
    }
    assertThat(Algorithm.of("Token-Bucket")).isSameAs(Algorithm.TOKEN_BUCKET);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Algorithm.of("leaky"))
        .withMessage(
            "algorithm must be one of sliding-log, sliding-counter, fixed-window, token-bucket,"
                + " was 'leaky'");
  }
}
