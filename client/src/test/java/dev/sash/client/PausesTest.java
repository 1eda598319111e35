package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreException;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {
  private static final String A = "https://a.example";
  private static final String B = "https://b.example";

  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private final Pauses here = new Pauses(store, "g", 100);
  private final Pauses elsewhere = new Pauses(store, "g", 100);

  @Test
  void aPauseIsSharedAndEndsWithinAMillisecondOfItsTimeAndNotBefore() {
    for (long millis : new long[] {1, 2, 999, 30_000, Duration.ofDays(11).toMillis()}) {
      extend(here, A, Duration.ofMillis(millis));

      assertThat(elsewhere.knownMicros(A)).isZero();
      assertThat(remaining(new Pauses(store, "g", 100), A))
          .isBetween(millis * 1_000, millis * 1_000 + 999);
      assertThat(remaining(here, A)).isEqualTo(millis * 1_000);
      clock.advanceMicros(millis * 1_000 - 1);
      assertThat(remaining(here, A)).isPositive();
      assertThat(remaining(new Pauses(store, "g", 100), A)).isPositive();
      clock.advanceMicros(1_001);
      assertThat(remaining(here, A)).isZero();
      assertThat(remaining(new Pauses(store, "g", 100), A)).isZero();
    }
  }

  @Test
  void theLongestOfSeveralPausesHolds() {
    extend(here, A, Duration.ofSeconds(30));
    extend(elsewhere, A, Duration.ofSeconds(5));
    assertThat(remaining(here, A)).isEqualTo(30_000_000);
    clock.advance(Duration.ofSeconds(10));
    extend(elsewhere, A, Duration.ofSeconds(40));
    clock.advance(Duration.ofSeconds(20));

    assertThat(remaining(here, A)).isBetween(20_000_000L, 20_000_999L);
    assertThat(remaining(elsewhere, A)).isEqualTo(20_000_000);
  }

  @Test
  void othersAreNotPaused() {
    extend(here, A, Duration.ofDays(11));

    assertThat(remaining(here, B)).isZero();
    assertThat(remaining(new Pauses(store, "other", 100), A)).isZero();
  }

  /** Memory is bounded also if hosts come from untrusted input. */
  @Test
  void moreThanAreKeptAreInTheStoreAlone() {
    Pauses few = new Pauses(store, "g", 2);
    for (String origin : new String[] {A, B, "https://c.example"}) {
      extend(few, origin, Duration.ofSeconds(30));
    }
    assertThat(few.knownMicros("https://c.example")).isZero();
    assertThat(remaining(few, "https://c.example")).isPositive();

    clock.advance(Duration.ofSeconds(31));
    extend(few, "https://d.example", Duration.ofSeconds(30));
    assertThat(few.knownMicros("https://d.example")).isEqualTo(30_000_000);
  }

  @Test
  void aStoreThatFailsMakesNoDifferenceInThisProcess() {
    Store failing =
        new Store() {
          @Override
          public Decision decide(
              Operation operation, ResolvedLimits limits, String key, long permits) {
            throw new StoreException(StoreException.Reason.UNAVAILABLE, "down", null);
          }

          @Override
          public MicroClock clock() {
            return clock;
          }
        };
    Pauses alone = new Pauses(failing, "g", 100);
    assertThat(remaining(alone, A)).isZero();
    extend(alone, A, Duration.ofSeconds(30));

    assertThat(remaining(alone, A)).isEqualTo(30_000_000);
    clock.advance(Duration.ofSeconds(30));
    assertThat(remaining(alone, A)).isZero();
  }

  private static void extend(Pauses pauses, String origin, Duration pause) {
    pauses.extend(origin, pause, () -> {}).toCompletableFuture().join();
  }

  private static long remaining(Pauses pauses, String origin) {
    return pauses.remainingMicros(origin).toCompletableFuture().join();
  }
}
