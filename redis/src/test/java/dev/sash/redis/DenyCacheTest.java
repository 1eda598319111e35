package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DenyCacheTest {
  private static final Limit LIMIT = Limit.parse("10/1m");
  private static final List<Limit> LIMITS = List.of(LIMIT);
  private static final long SECOND = 1_000_000;

  private final ManualClock clock = new ManualClock();
  private final DenyCache cache = new DenyCache(clock, 16, SECOND);

  @Test
  void remembersADenialUntilItEnds() {
    deny("k", 2, 300_000, 100_000);

    clock.advanceMicros(199_999);
    Decision decision = cache.find("k", LIMITS, 2);
    assertThat(decision).isNotNull();
    assertThat(decision.allowed()).isFalse();
    assertThat(decision.source()).isEqualTo(Source.DENY_CACHE);
    assertThat(decision.used()).isEqualTo(9);
    assertThat(decision.remaining()).isEqualTo(1);
    clock.advanceMicros(1);
    assertThat(cache.find("k", LIMITS, 2)).as("300 ms after it was sent").isNull();
  }

  @Test
  void countsWaitsFromTheTimeOfTheAnswer() {
    deny("k", 2, 300_000, 100_000);

    clock.advanceMicros(50_000);
    Decision decision = cache.find("k", LIMITS, 2);
    assertThat(decision).isNotNull();
    assertThat(decision.retryAfter()).isEqualTo(Duration.ofMillis(250));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(60).minusMillis(50));
  }

  @Test
  void deniesMoreButNotFewer() {
    deny("k", 2, 300_000, 0);

    assertThat(cache.find("k", LIMITS, 3)).isNotNull();
    assertThat(cache.find("k", LIMITS, 1)).isNull();
    assertThat(cache.find("k", LIMITS, 0)).as("a peek").isNull();
  }

  @Test
  void believesNothingLongerThanItsAge() {
    deny("k", 1, 60 * SECOND, 0);

    clock.advanceMicros(SECOND - 1);
    assertThat(cache.find("k", LIMITS, 1)).isNotNull();
    clock.advanceMicros(1);
    assertThat(cache.find("k", LIMITS, 1)).isNull();
  }

  @Test
  void believesNothingOfOtherLimits() {
    deny("k", 1, 300_000, 0);

    assertThat(cache.find("k", List.of(Limit.parse("11/1m")), 1)).isNull();
    assertThat(cache.find("k", List.of(Limit.parse("10/1m")), 1)).as("equal ones").isNotNull();
  }

  @Test
  void believesNothingOfOtherKeys() {
    for (int i = 0; i < 100; i++) {
      deny("k" + i, 1, 300_000, 0);
      for (int other = 0; other < 100; other++) {
        if (other > i) {
          assertThat(cache.find("k" + other, LIMITS, 1)).isNull();
        }
      }
      assertThat(cache.find("k" + i, LIMITS, 1)).isNotNull();
    }
  }

  @Test
  void forgets() {
    deny("k", 1, 300_000, 0);
    cache.forget("k");

    assertThat(cache.find("k", LIMITS, 1)).isNull();
  }

  @Test
  void doesNotRememberWhatWasAskedBeforeItForgot() {
    int version = cache.version("k");
    cache.forget("k");
    cache.remember("k", LIMITS, 1, denial(300_000), clock.micros(), version);

    assertThat(cache.find("k", LIMITS, 1)).isNull();
  }

  @Test
  void remembersThatSomethingIsNeverAllowed() {
    Decision never = Decision.impossible(LIMIT, 3, 7, 5 * SECOND, Source.STORE);
    cache.remember("k", LIMITS, 11, never, clock.micros(), cache.version("k"));

    clock.advanceMicros(SECOND / 2);
    Decision decision = cache.find("k", LIMITS, 12);
    assertThat(decision).isNotNull();
    assertThat(decision.neverAllowed()).isTrue();
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMillis(4_500));
    clock.advanceMicros(SECOND / 2);
    assertThat(cache.find("k", LIMITS, 12)).isNull();
  }

  @Test
  void remembersNothingWhenItIsOff() {
    DenyCache off = new DenyCache(clock, 16, 0);
    off.remember("k", LIMITS, 1, denial(300_000), clock.micros(), off.version("k"));

    assertThat(off.find("k", LIMITS, 1)).isNull();
  }

  private void deny(String key, long permits, long retryAfterMicros, long tripMicros) {
    int version = cache.version(key);
    long sent = clock.micros();
    clock.advanceMicros(tripMicros);
    cache.remember(key, LIMITS, permits, denial(retryAfterMicros), sent, version);
  }

  private static Decision denial(long retryAfterMicros) {
    return Decision.denied(LIMIT, 9, 1, retryAfterMicros, 60 * SECOND, Source.STORE);
  }
}
