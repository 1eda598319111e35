package dev.sash.server.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThrottleCommandTest {
  private final TestConversation client = new TestConversation();

  /** The schedule by which redis-cell tests itself: bursts of 5, one a second. */
  @Test
  void repliesAsRedisCellDoes() {
    Step[] steps = {
      new Step(0, 6, 1, 5, -1, 0), // more than the limit: nothing helps
      new Step(0, 1, 0, 4, -1, 1),
      new Step(0, 1, 0, 3, -1, 2),
      new Step(0, 1, 0, 2, -1, 3),
      new Step(0, 1, 0, 1, -1, 4),
      new Step(0, 1, 0, 0, -1, 5),
      new Step(0, 1, 1, 0, 1, 5),
      new Step(3_000, 1, 0, 2, -1, 3),
      new Step(3_100, 1, 0, 1, -1, 4), // 3.9 s, rounded up
      new Step(4_000, 1, 0, 1, -1, 4),
      new Step(8_000, 1, 0, 4, -1, 1),
      new Step(9_500, 1, 0, 4, -1, 1),
      new Step(9_500, 0, 0, 4, -1, 1), // a look
      new Step(9_500, 2, 0, 2, -1, 3),
      new Step(9_500, 5, 1, 2, 3, 3),
    };
    for (Step step : steps) {
      client.clock.setMicros(step.atMillis * 1_000);
      assertThat(client.askOne("CL.THROTTLE foo 4 1 1 " + step.quantity))
          .as("%s", step)
          .isEqualTo(step.reply());
    }
  }

  /** When, how much, and the reply to it without the limit. */
  private record Step(
      long atMillis,
      long quantity,
      long limited,
      long remaining,
      long retryAfter,
      long resetAfter) {
    List<Long> reply() {
      return List.of(limited, 5L, remaining, retryAfter, resetAfter);
    }
  }

  @Test
  void spendsOneUnlessToldOtherwise() {
    assertThat(client.askOne("CL.THROTTLE ann 15 30 60")).isEqualTo(List.of(0L, 16L, 15L, -1L, 2L));
  }

  /** One permit takes 1,428,572 microseconds to come back. */
  @Test
  void roundsSecondsUp() {
    client.ask("CL.THROTTLE ann 0 7 10");
    assertThat(client.askOne("CL.THROTTLE ann 0 7 10")).isEqualTo(List.of(1L, 1L, 0L, 2L, 2L));
    client.clock.advance(Duration.ofMillis(428));
    assertThat(client.askOne("CL.THROTTLE ann 0 7 10")).isEqualTo(List.of(1L, 1L, 0L, 2L, 2L));
    client.clock.advance(Duration.ofSeconds(1));
    assertThat(client.askOne("CL.THROTTLE ann 0 7 10")).isEqualTo(List.of(1L, 1L, 0L, 1L, 1L));
  }

  @Test
  void letsBucketsOfDifferentPeriodsBeAndSharesThoseOfOne() {
    client.ask("CL.THROTTLE ann 4 1 1 5", "CL.THROTTLE ann 4 1 60 5");
    assertThat(client.askOne("CL.THROTTLE ann 4 1 1")).isEqualTo(List.of(1L, 5L, 0L, 1L, 5L));
    client.clock.advance(Duration.ofSeconds(5));
    assertThat(client.askOne("CL.THROTTLE ann 4 1 1")).isEqualTo(List.of(0L, 5L, 4L, -1L, 1L));
    assertThat(client.askOne("CL.THROTTLE ann 4 1 60")).isEqualTo(List.of(1L, 5L, 0L, 55L, 295L));
    // A larger burst has room at once.
    assertThat(client.askOne("CL.THROTTLE ann 5 1 60")).isEqualTo(List.of(0L, 6L, 0L, -1L, 355L));
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1", "999999999, 1000000000, 31622400", "0, 1, 31622400"})
  void reckonsWithTheLargestNumbers(long burst, long count, long period) {
    Object reply = client.askOne("CL.THROTTLE ann %d %d %d".formatted(burst, count, period));
    assertThat(reply).isInstanceOf(List.class);
    assertThat(((List<?>) reply).get(0)).isEqualTo(0L);
  }

  @Test
  void decidesByMoreLimitsThanItRemembers() {
    for (int i = 1; i <= 1_100; i++) {
      assertThat(client.askOne("CL.THROTTLE key%d 0 1 %d".formatted(i, i)))
          .isEqualTo(List.of(0L, 1L, 0L, -1L, (long) i));
    }
  }

  @Test
  void acceptsTheLongestKey() {
    String longest = "x".repeat(1_024);
    assertThat(client.askOne("CL.THROTTLE " + longest + " 15 30 60"))
        .isEqualTo(List.of(0L, 16L, 15L, -1L, 2L));
  }

  /** Keys used to be prefixed by the kind of limit, so that callers could name them. */
  @Test
  void aKeyThatLooksLikeAnInternalNameReachesNoOtherKey() {
    client.ask(
        "CL.THROTTLE token-bucket/60000000:ann 4 1 60 5", "CL.THROTTLE _cl-throttle:ann 4 1 60 5");
    assertThat(client.askOne("CL.THROTTLE ann 4 1 60 0")).isEqualTo(List.of(0L, 5L, 5L, -1L, 0L));
  }

  @Test
  void aPolicyNamedClThrottleDoesNotShareItsState() {
    client.ask("SASH.CHECK cl-throttle ann 5");
    assertThat(client.askOne("CL.THROTTLE ann 4 1 60 0")).isEqualTo(List.of(0L, 5L, 5L, -1L, 0L));
    client.ask("CL.THROTTLE bob 4 1 60 5");
    assertThat(client.askOne("SASH.PEEK cl-throttle bob"))
        .isEqualTo(List.of(1L, 5L, 5L, 0L, 0L, "store"));
  }
}
