package dev.sash.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sash.benchmarks.redis.Callers.Load;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class CallersTest {
  private static final Duration WHILE = Duration.ofMillis(50);

  @AutoClose private final Callers callers = new Callers(4);

  @Test
  void countsWhatIsDecidedAfterTheWarmUp() {
    AtomicLong asked = new AtomicLong();
    Load load =
        callers.ask(key -> asked.incrementAndGet() % 2 == 0, List.of("a", "b"), WHILE, WHILE);
    assertThat(load.perSecond() * WHILE.toMillis() / 1_000).isBetween(1.0, (double) asked.get());
    assertThat(load.allowed()).isBetween(0.0, 1.0);
    assertThat(load.p50Micros()).isPositive().isLessThanOrEqualTo(load.p99Micros());
  }

  @Test
  void asksAsOftenAsItIsTold() {
    AtomicLong asked = new AtomicLong();
    long allowed =
        callers.spend(key -> asked.incrementAndGet() <= 100, "a", 150, Duration.ofMinutes(1));
    assertThat(asked).hasValue(150);
    assertThat(allowed).isEqualTo(100);
  }

  @Test
  void givesUpWhenItTakesTooLong() {
    assertThat(callers.spend(key -> true, "a", Long.MAX_VALUE, WHILE)).isEqualTo(-1);
  }

  @Test
  void tellsThatALimiterFailed() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                callers.ask(
                    key -> {
                      throw new IllegalArgumentException("broken");
                    },
                    List.of("a"),
                    WHILE,
                    WHILE))
        .withRootCauseInstanceOf(IllegalArgumentException.class);
  }
}
