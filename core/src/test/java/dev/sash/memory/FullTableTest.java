package dev.sash.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LogRecorder;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Decisions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens at the cap on keys: who is held stays, who is not shares. */
class FullTableTest {
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;

  private final HandClock clock = new HandClock();
  private InMemoryStore store = InMemoryStore.create();

  @Test
  void aLiveKeyIsNeverDropped() {
    RateLimiter limiter = fullOfFour("2/1s");

    for (int i = 0; i < 10_000; i++) {
      limiter.tryAcquire("invented " + i);
    }

    assertThat(store.keys()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      Decision decision = limiter.tryAcquire("held " + i);
      assertThat(decision.used()).isEqualTo(2);
      assertThat(decision.source()).isEqualTo(Source.STORE);
      assertThat(limiter.tryAcquire("held " + i).allowed()).isFalse();
    }
  }

  @Test
  void keysBeyondTheCapShareOneLimit() {
    RateLimiter limiter = fullOfFour("3/1s");

    assertThat(limiter.tryAcquire("a")).isEqualTo(overflow(1));
    assertThat(limiter.tryAcquire("b")).isEqualTo(overflow(2));
    assertThat(limiter.tryAcquire("c")).isEqualTo(overflow(3));
    Decision denied = limiter.tryAcquire("d");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.source()).isEqualTo(Source.OVERFLOW);
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(limiter.peek("e").remaining()).isZero();
    assertThat(limiter.tryAcquire("f", 4).neverAllowed()).isTrue();
  }

  @Test
  void aKeyBeyondTheCapCannotSpendAgainWhenThereIsRoom() {
    RateLimiter limiter = fullOfFour("3/1s");
    assertThat(limiter.tryAcquire("late", 3).source()).isEqualTo(Source.OVERFLOW);

    limiter.reset("held 0");

    assertThat(limiter.tryAcquire("late").allowed()).isFalse();
    assertThat(limiter.tryAcquire("later").allowed()).isFalse();
    assertThat(store.keys()).isEqualTo(3);
  }

  @Test
  void aHeldKeyIsNotTouchedByTheOthers() {
    RateLimiter limiter = fullOfFour("3/1s");
    limiter.tryAcquire("late", 3);

    assertThat(limiter.tryAcquire("held 1", 2).allowed()).isTrue();
    assertThat(limiter.tryAcquire("held 1").allowed()).isFalse();
  }

  @Test
  void roomComesBackWhenKeysAreIdle() {
    RateLimiter limiter = fullOfFour("3/1s");
    clock.set(SECOND / 2);
    limiter.tryAcquire("late", 3);

    clock.set(SECOND); // the held keys are idle, the shared limit is not
    assertThat(limiter.tryAcquire("late").allowed()).isFalse();

    clock.set(SECOND * 3 / 2);
    for (int i = 0; i < 4; i++) {
      assertThat(limiter.tryAcquire("late " + i).source()).isEqualTo(Source.STORE);
    }
    assertThat(store.keys()).isEqualTo(4);
    assertThat(limiter.tryAcquire("one more").source()).isEqualTo(Source.OVERFLOW);
  }

  @Test
  void whatWasSharedIsNotGivenBackToOne() {
    RateLimiter limiter = fullOfFour("3/1s");
    limiter.tryAcquire("a", 2);
    limiter.tryAcquire("b", 1);

    Decision decision = limiter.refund("b", 3);

    assertThat(decision.used()).isEqualTo(3);
    assertThat(limiter.tryAcquire("c").allowed()).isFalse();
  }

  @Test
  void resettingOneKeyDoesNotFreeTheSharedLimit() {
    RateLimiter limiter = fullOfFour("3/1s");
    limiter.tryAcquire("a", 3);

    limiter.reset("a");

    assertThat(limiter.tryAcquire("a").allowed()).isFalse();
  }

  @Test
  void theSharedLimitFollowsThePolicy() {
    RateLimiter limiter = fullOfFour("3/1s");
    limiter.tryAcquire("a", 3);

    RateLimiter higher = store.limiter(Policy.of("p", Limit.parse("5/1s")));
    assertThat(higher.tryAcquire("b", 2).allowed()).isTrue();
    assertThat(higher.tryAcquire("c").allowed()).isFalse();

    RateLimiter lower = store.limiter(Policy.of("p", Limit.parse("4/1s")));
    assertThat(lower.peek("c").used()).isEqualTo(5);
    assertThat(lower.peek("c").allowed()).isFalse();
  }

  @Test
  void tiersShareApart() {
    List<Limit> free = List.of(Limit.parse("1/1s"));
    List<Limit> pro = List.of(Limit.parse("5/1m"), Limit.parse("9/1h fixed-window"));
    Policy policy = Policy.named("p").withTiers(key -> key.startsWith("pro") ? pro : free);
    RateLimiter limiter = store(1).limiter(policy);
    limiter.tryAcquire("held");

    assertThat(limiter.tryAcquire("free 1").source()).isEqualTo(Source.OVERFLOW);
    assertThat(limiter.tryAcquire("free 2").allowed()).isFalse();
    assertThat(limiter.tryAcquire("pro 1", 5).source()).isEqualTo(Source.OVERFLOW);
    assertThat(limiter.tryAcquire("pro 2").allowed()).isFalse();

    clock.set(SECOND); // the free tier's share is idle now, and there is room for one
    assertThat(limiter.tryAcquire("pro 1").allowed()).isFalse();
    assertThat(limiter.tryAcquire("free 3").source()).isEqualTo(Source.STORE);
  }

  @Test
  void aMillionInventedKeysGetNoMoreThanTheTableHolds() {
    int maxKeys = 10_000;
    RateLimiter limiter = store(maxKeys).limiter(Policy.of("p", Limit.parse("1/1h")));

    int admitted = 0;
    for (int i = 0; i < 1_000_000; i++) {
      admitted += limiter.tryAcquire("invented " + i).allowed() ? 1 : 0;
    }

    assertThat(store.keys()).isEqualTo(maxKeys);
    int segments = 8; // one per 1024 keys, a power of two
    assertThat(admitted).isEqualTo(maxKeys + segments);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1_023, 1_024, 2_048, 3_000, 65_536, 100_001})
  void holdsAsManyKeysAsWereAskedFor(int maxKeys) {
    RateLimiter limiter = store(maxKeys).limiter(Policy.of("p", Limit.parse("1/1h")));

    for (int i = 0; i < 4 * maxKeys; i++) {
      limiter.tryAcquire("key " + i);
    }

    assertThat(store.keys()).isEqualTo(maxKeys);
  }

  @ParameterizedTest
  @ValueSource(strings = {"100/1m", "5/1m sliding-counter", "5/1m token-bucket"})
  void trafficThatNeverPausesGetsItsOwnEntriesBack(String limit) {
    int maxKeys = 10_000;
    RateLimiter limiter = store(maxKeys).limiter(Policy.of("p", Limit.parse(limit)));
    clock.set(100 * MINUTE);
    for (int i = 0; i < 5 * maxKeys; i++) {
      limiter.tryAcquire("flood " + i);
      clock.advance(10);
    }
    // The flood is idle after two windows at the latest, and after one more nothing is shared.
    long recovered = clock.micros() + 3 * MINUTE;
    int users = 2_000;
    long wrong = 0;
    for (int i = 0; clock.micros() < recovered + 4 * MINUTE; i++) {
      clock.advance(MINUTE / users / 2);
      Decision decision = limiter.tryAcquire("user " + i % users);
      boolean isRight = decision.allowed() && decision.source() == Source.STORE;
      wrong += clock.micros() >= recovered && !isRight ? 1 : 0;
    }

    assertThat(wrong).as("denied or shared though there was room").isZero();
  }

  @Test
  void aCallerWhoChoosesKeysCannotFillThePartOfOthers() {
    int maxKeys = 10_000;
    RateLimiter limiter = store(maxKeys).limiter(Policy.of("p", Limit.parse("2/1h")));
    for (int i = 0; i < maxKeys / 2; i++) {
      assertThat(limiter.tryAcquire(KeyTableTest.withTheSameHashCode(i)).allowed()).isTrue();
    }

    for (int i = 0; i < maxKeys / 2; i++) {
      Decision decision = limiter.tryAcquire("victim " + i, 2);
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.source()).isEqualTo(Source.STORE);
    }
    assertThat(store.keys()).isEqualTo(maxKeys);
    // With the same hash code as the keys of the caller, even.
    limiter.reset("victim 0");
    String victim = KeyTableTest.withTheSameHashCode(maxKeys / 2 + 1);
    assertThat(limiter.tryAcquire(victim, 2).source()).isEqualTo(Source.STORE);
  }

  @Test
  void warnsOnceAMinuteForAsLongAsThereIsNoRoom() {
    try (LogRecorder log = LogRecorder.of(KeyTable.class)) {
      RateLimiter limiter = fullOfFour("watched", "1/1s");
      for (int second = 0; second < 150; second++) { // at 0:00, 1:00 and 2:00
        clock.set(second * SECOND);
        for (int i = 0; i < 12; i++) {
          limiter.tryAcquire("flood " + second + " " + i);
        }
      }
      // Written by another thread: nobody waits for a log under a lock. So a warning about the
      // policy of another test may still come, too.
      String warning = "WARNING Policy 'watched' has no room for more keys (4 of 4";
      log.await(3, warning);

      assertThat(log.messages(warning)).hasSize(3).noneMatch(line -> line.contains("flood"));
    }
  }

  @Test
  void refusesCapsOutOfBounds() {
    for (int maxKeys : new int[] {0, -1, Integer.MIN_VALUE, 1_000_000_001, Integer.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> InMemoryStore.builder().maxKeys(maxKeys))
          .withMessage("maxKeys must be between 1 and 1000000000, was %d", maxKeys);
    }
    assertThat(store(1_000_000_000).keys()).isZero();
  }

  private Decision overflow(long used) {
    return Decisions.allowed(Limit.parse("3/1s"), used, 3 - used, SECOND, Source.OVERFLOW);
  }

  /** A limiter for four keys that holds four, with one permit spent by each. */
  private RateLimiter fullOfFour(String limit) {
    return fullOfFour("p", limit);
  }

  private RateLimiter fullOfFour(String policy, String limit) {
    RateLimiter limiter = store(4).limiter(Policy.of(policy, Limit.parse(limit)));
    for (int i = 0; i < 4; i++) {
      assertThat(limiter.tryAcquire("held " + i).source()).isEqualTo(Source.STORE);
    }
    return limiter;
  }

  private InMemoryStore store(int maxKeys) {
    store = InMemoryStore.builder().clock(clock).maxKeys(maxKeys).build();
    return store;
  }
}
