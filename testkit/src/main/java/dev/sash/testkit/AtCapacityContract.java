package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A store that holds a bounded number of keys: a live key is never dropped, keys without room share
 * a limit, and as soon as there is room, keys get an entry of their own again.
 */
public abstract class AtCapacityContract {
  private static final long MINUTE = 60_000_000;

  private final ManualClock clock = new ManualClock();

  /** For subclasses. */
  protected AtCapacityContract() {}

  /**
   * Returns a store to test.
   *
   * @param clock dates the store's decisions
   * @param maxKeys the most keys that the store holds for a policy
   * @return a store in which nothing is charged to any key
   */
  protected abstract Store newStore(ManualClock clock, int maxKeys);

  private RateLimiter limiter(String limit, int maxKeys) {
    return newStore(clock, maxKeys).limiter(Policy.of("capacity", Limit.parse(limit)));
  }

  @TestFactory
  Stream<DynamicTest> liveKeysAreNeverDropped() {
    return onEachLimit(
        limit -> {
          RateLimiter limiter = limiter(limit, 8);
          for (int i = 0; i < 8; i++) {
            assertThat(limiter.tryAcquire("held " + i, 2).source()).isEqualTo(Source.STORE);
          }
          for (int i = 0; i < 1_000; i++) {
            limiter.tryAcquire("invented " + i);
          }
          for (int i = 0; i < 8; i++) {
            Decision decision = limiter.tryAcquire("held " + i);
            assertThat(decision.used()).isEqualTo(3);
            assertThat(decision.source()).isEqualTo(Source.STORE);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> keysWithoutRoomShareALimit() {
    return onEachLimit(
        limit -> {
          RateLimiter limiter = full(limit, 8);
          long admitted = 0;
          for (int i = 0; i < 1_000; i++) {
            Decision decision = limiter.tryAcquire("invented " + i);
            assertThat(decision.source()).isEqualTo(Source.OVERFLOW);
            admitted += decision.allowed() ? 1 : 0;
          }
          assertThat(admitted).isEqualTo(Limit.parse(limit).capacity());
        });
  }

  @TestFactory
  Stream<DynamicTest> keysGetTheirOwnEntriesAgainThoughTrafficNeverPauses() {
    return onEachLimit(
        limit -> {
          int maxKeys = 200;
          int users = 100;
          RateLimiter limiter = limiter(limit, maxKeys);
          for (int i = 0; i < 5 * maxKeys; i++) {
            limiter.tryAcquire("flood " + i);
          }
          long wrong = 0;
          // The flood is idle after two windows at the latest, and after one more nothing is
          // shared.
          long recovered = clock.micros() + 3 * MINUTE;
          long end = recovered + 5 * MINUTE;
          long pause = MINUTE / users / 2; // so that every user has two requests a minute
          for (int i = 0; clock.micros() < end; i++) {
            clock.advanceMicros(pause);
            Decision decision = limiter.tryAcquire("user " + i % users);
            boolean isRight = decision.allowed() && decision.source() == Source.STORE;
            wrong += clock.micros() >= recovered && !isRight ? 1 : 0;
          }
          assertThat(wrong).as("denied or shared though there was room").isZero();
        });
  }

  @TestFactory
  Stream<DynamicTest> aKeyThatSharedGetsNoMoreThanItsLimitInAnyWindow() {
    return onEachLimit(
        limit -> {
          for (long first = 0; first < MINUTE; first += MINUTE / 5) {
            RateLimiter limiter = full(limit, 8);
            clock.advanceMicros(first);
            assertThat(mostInAnyWindow(limiter, Limit.parse(limit)))
                .isBetween(Limit.parse(limit).capacity(), bound(Limit.parse(limit)));
          }
        });
  }

  @Test
  void aKeyThatSharedIsChargedForItInItsOwnEntry() {
    RateLimiter limiter = full("10/1m", 8);
    assertThat(limiter.tryAcquire("late", 7).source()).isEqualTo(Source.OVERFLOW);
    limiter.reset("held 0");
    clock.advanceMicros(1);

    assertThat(limiter.tryAcquire("late", 4).allowed()).isFalse();
    assertThat(limiter.tryAcquire("late", 3).allowed()).isTrue();
    assertThat(limiter.peek("late").used()).isEqualTo(10);
    clock.advanceMicros(MINUTE - 1);
    assertThat(limiter.peek("late").used()).isEqualTo(3);
    assertThat(limiter.tryAcquire("late", 7).source()).isEqualTo(Source.STORE);
  }

  @Test
  void aHeldKeyIsNotChargedForWhatOthersShare() {
    RateLimiter limiter = full("10/1m", 8);
    limiter.tryAcquire("late", 10);

    assertThat(limiter.tryAcquire("held 1", 9).used()).isEqualTo(10);
  }

  @Test
  void whatIsSharedIsNotRefundedOrResetByOneKey() {
    RateLimiter limiter = full("10/1m", 8);
    Decision charged = limiter.tryAcquire("a", 10);

    limiter.refund("a", 10, charged);
    limiter.refund("b", 10);
    limiter.reset("a");

    assertThat(limiter.tryAcquire("a").allowed()).isFalse();
    assertThat(limiter.tryAcquire("b").allowed()).isFalse();
  }

  @Test
  void aChargeWithoutRoomIsShared() {
    RateLimiter limiter = full("10/1m", 8);

    Decision charged = limiter.charge("a", 15);
    assertThat(charged.source()).isEqualTo(Source.OVERFLOW);
    assertThat(charged.used()).isEqualTo(15);
    assertThat(limiter.tryAcquire("b").allowed()).isFalse();
    clock.advanceMicros(MINUTE);
    assertThat(limiter.tryAcquire("b").allowed()).isTrue();
  }

  /** A limiter that holds as many keys as it can, with one permit charged to each. */
  private RateLimiter full(String limit, int maxKeys) {
    RateLimiter limiter = limiter(limit, maxKeys);
    for (int i = 0; i < maxKeys; i++) {
      assertThat(limiter.tryAcquire("held " + i).source()).isEqualTo(Source.STORE);
    }
    return limiter;
  }

  private Stream<DynamicTest> onEachLimit(Consumer<String> test) {
    return Stream.of(
            "100/1m",
            "5/1m",
            "5/1m cells=6",
            "5/1m sliding-counter",
            "5/1m fixed-window",
            "5/1m token-bucket")
        .map(
            limit ->
                DynamicTest.dynamicTest(
                    limit,
                    () -> {
                      clock.setMicros(10 * MINUTE);
                      test.accept(limit);
                    }));
  }

  /** Spends all that one key can get, from when the store is full until long after. */
  private long mostInAnyWindow(RateLimiter limiter, Limit limit) {
    Deque<Long> admitted = new ArrayDeque<>();
    long most = 0;
    long end = clock.micros() + 5 * MINUTE;
    while (clock.micros() < end) {
      if (limiter.tryAcquire("greedy").allowed()) {
        admitted.addLast(clock.micros());
      } else {
        clock.advanceMicros(MINUTE / 97);
      }
      while (!admitted.isEmpty() && admitted.getFirst() <= clock.micros() - limit.windowMicros()) {
        admitted.removeFirst();
      }
      most = Math.max(most, admitted.size());
    }
    return most;
  }

  private static long bound(Limit limit) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> limit.permits();
      case SLIDING_COUNTER, FIXED_WINDOW -> 2 * limit.permits();
      case TOKEN_BUCKET -> limit.capacity() + limit.permits() - 1;
    };
  }
}
