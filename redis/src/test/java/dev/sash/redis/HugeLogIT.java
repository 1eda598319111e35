package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Operation;
import dev.sash.testkit.Schedule.Step;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A log of a million records keeps nobody waiting: no call takes Redis more than 5 ms, but for the
 * few in a million during which the machine does something else.
 */
class HugeLogIT {
  private static final int RECORDS = 1_000_000;
  private static final int AT_ONCE = 10_000;
  private static final String MOST_MICROS = "5000";
  private static final Duration WINDOW = Duration.ofHours(1);

  private final LocalRedis redis = LocalRedis.get();
  private final ManualClock clock = new ManualClock(1_000_000);
  private final ScriptLimiter limiter =
      new ScriptLimiter(Policy.of("huge", Limit.slidingLog(1_000_000_000, WINDOW)), clock);

  @BeforeEach
  void watch() {
    command("CONFIG", "SET", "slowlog-log-slower-than", MOST_MICROS);
    command("CONFIG", "SET", "slowlog-max-len", "1000");
    command("SLOWLOG", "RESET");
  }

  @AfterEach
  void forget() {
    limiter.reset("k");
    command("CONFIG", "SET", "slowlog-log-slower-than", "10000");
  }

  @Test
  void nothingTakesLong() {
    fill();
    assertThat((Long) command("SLOWLOG", "LEN")).isLessThan(RECORDS / 10_000);
    command("SLOWLOG", "RESET");
    assertThat(limiter.peek("k").used()).isEqualTo(RECORDS);
    assertThat(limiter.inspect("k").get(0).records()).isEqualTo(RECORDS);

    assertThat(limiter.tryAcquire("k", 700_000_000).used()).as("weighted").isEqualTo(701_000_000);
    assertThat(limiter.tryAcquire("k", 299_500_000).allowed()).isFalse();
    assertThat(limiter.refund("k", 700_300_000).used()).isEqualTo(700_000);
    assertThat(limiter.tryAcquire("k").used()).isEqualTo(700_001);
    clock.advance(WINDOW.minusMillis(500));
    assertThat(limiter.tryAcquire("k").used()).as("many expired").isBetween(1L, 700_002L);
    clock.advance(WINDOW.multipliedBy(2));
    assertThat(limiter.tryAcquire("k").used()).as("all expired").isEqualTo(1);

    assertThat(command("SLOWLOG", "GET", "10")).isEqualTo(List.of());
  }

  private void fill() {
    for (int from = 0; from < RECORDS; from += AT_ONCE) {
      long begin = clock.micros();
      List<Step> steps =
          IntStream.range(0, AT_ONCE)
              .mapToObj(i -> new Step(i, begin + i + 1, new Operation.Acquire("k", 1), null))
              .toList();
      limiter.decide(clock, steps);
    }
  }

  private Object command(String... words) {
    Object reply = redis.call(LocalRedis.words(words));
    assertThat(reply).isNotNull();
    return reply;
  }
}
