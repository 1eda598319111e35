package dev.sash.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys to which nothing is charged any more cost nothing, in the end. */
@Timeout(60)
class IdleKeysTest {
  private static final long SECOND = 1_000_000;

  private final HandClock clock = new HandClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();

  @Test
  void holdsOnlyKeysThatHaveSpent() {
    RateLimiter limiter = limiter("2/1s");

    limiter.peek("looks");
    limiter.tryAcquire("asks for too much", 3);
    limiter.refund("gives back what it never had", 1);
    limiter.reset("unknown");
    assertThat(store.keys()).isZero();

    limiter.tryAcquire("spends");
    limiter.tryAcquire("spends");
    limiter.tryAcquire("spends");
    assertThat(store.keys()).isOne();
  }

  @Test
  void aResetKeyIsGoneAtOnce() {
    RateLimiter limiter = limiter("2/1s");
    spend(limiter, 100);

    for (int i = 0; i < 100; i++) {
      limiter.reset("key " + i);
      assertThat(store.keys()).isEqualTo(99 - i);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3/1s sliding-log",
        "3/1s sliding-log cells=10",
        "3/1s sliding-counter",
        "3/1s fixed-window",
        "3/1s token-bucket",
      })
  void aSweepDropsIdleKeysAndNoOthers(String limit) {
    RateLimiter limiter = limiter(limit);
    spend(limiter, 500);
    long resetAfter = limiter.peek("key 0").resetAfter().toNanos() / 1_000;

    clock.set(resetAfter - 1);
    store.sweepAll();
    assertThat(store.keys()).isEqualTo(500);

    clock.set(resetAfter);
    limiter.tryAcquire("key 7");
    store.sweepAll();
    assertThat(store.keys()).isOne();
    assertThat(limiter.peek("key 7").used()).isOne();
    assertThat(limiter.peek("key 8").used()).isZero();
  }

  @Test
  void aKeyIsIdleOnlyWhenAllItsLimitsAre() {
    RateLimiter limiter =
        limiter(Policy.of("p", Limit.parse("5/1s"), Limit.parse("5/1h fixed-window")));
    limiter.tryAcquire("k", 2);

    clock.set(3600 * SECOND - 1);
    store.sweepAll();
    assertThat(store.keys()).isOne();

    clock.set(3600 * SECOND);
    store.sweepAll();
    assertThat(store.keys()).isZero();
  }

  @Test
  void aRefundedKeyIsIdle() {
    RateLimiter limiter = limiter("5/1h");
    limiter.tryAcquire("k", 2);
    limiter.refund("k", 2);

    store.sweepAll();

    assertThat(store.keys()).isZero();
  }

  @Test
  void newKeysSweepTheIdleOnesAway() {
    RateLimiter limiter = limiter("1/1ms");
    long most = 0;
    for (int i = 0; i < 200_000; i++) {
      assertThat(limiter.tryAcquire("key " + i).allowed()).isTrue();
      clock.advance(1); // so 1000 keys are live at a time; too short a time for the background
      most = Math.max(most, store.keys());
    }

    assertThat(most).isBetween(1_000L, 2_500L);
  }

  @Test
  void idleKeysDisappearThoughNobodyComes() {
    RateLimiter limiter = limiter("1/1s");
    spend(limiter, 2_000);
    clock.advance(SECOND - 1);

    for (int seconds = 0; store.keys() > 0; seconds++) {
      assertThat(seconds).as("seconds after the last key was idle").isLessThanOrEqualTo(30);
      await(() -> clock.alarms() > 0 || store.keys() == 0);
      clock.advance(SECOND);
    }
    await(() -> clock.alarms() == 0);

    limiter.tryAcquire("another");
    await(() -> clock.alarms() == 1);
  }

  @Test
  void oneBackgroundSweepIsEnoughForManyKeys() {
    RateLimiter limiter = limiter("1/1h");
    spend(limiter, 10_000);
    await(() -> clock.alarms() > 0);

    for (int i = 0; i < 10; i++) {
      clock.advance(SECOND);
      await(() -> clock.alarms() > 0);
    }

    assertThat(clock.alarms()).isOne();
    assertThat(store.keys()).isEqualTo(10_000);
  }

  @Test
  void theBackgroundSweepDoesNotHoldTheStore() {
    WeakReference<InMemoryStore> reference = forgottenStore();

    await(
        () -> {
          System.gc();
          return reference.get() == null;
        });
    clock.advance(SECOND);
    await(() -> clock.alarms() == 0);
  }

  @Test
  void aForgottenKeyStartsAtTheTimeOfTheClock() {
    RateLimiter limiter = limiter("1/1s");
    limiter.tryAcquire("k");
    clock.set(5 * SECOND);
    store.sweepAll();

    clock.set(SECOND / 2); // a clock that went back: nothing is known of the key
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    clock.set(SECOND * 3 / 2 - 1);

    assertThat(limiter.tryAcquire("k").retryAfter()).isEqualTo(Duration.ofNanos(1_000));
  }

  @RepeatedTest(20)
  void sweepingBesideSpendingLosesNothing() throws Exception {
    RateLimiter limiter = limiter("5/1s");
    AtomicInteger admitted = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      Future<?> sweeper = pool.submit(() -> repeat(300, store::sweepAll));
      Future<?>[] spenders = new Future<?>[3];
      for (int i = 0; i < spenders.length; i++) {
        spenders[i] = pool.submit(() -> repeat(10, () -> admitted.addAndGet(spend(limiter, 300))));
      }
      for (Future<?> spender : spenders) {
        spender.get();
      }
      sweeper.get();
    } finally {
      pool.shutdown();
    }

    assertThat(admitted).hasValue(5 * 300);
    assertThat(store.keys()).isEqualTo(300);
  }

  private WeakReference<InMemoryStore> forgottenStore() {
    InMemoryStore forgotten = InMemoryStore.builder().clock(clock).build();
    forgotten.limiter(Policy.of("p", Limit.parse("1/1h"))).tryAcquire("k");
    await(() -> clock.alarms() == 1);
    return new WeakReference<>(forgotten);
  }

  private RateLimiter limiter(String limit) {
    return limiter(Policy.of("p", Limit.parse(limit)));
  }

  private RateLimiter limiter(Policy policy) {
    return store.limiter(policy);
  }

  private static int spend(RateLimiter limiter, int keys) {
    int admitted = 0;
    for (int i = 0; i < keys; i++) {
      admitted += limiter.tryAcquire("key " + i).allowed() ? 1 : 0;
    }
    return admitted;
  }

  private static void repeat(int times, Runnable action) {
    for (int i = 0; i < times; i++) {
      action.run();
    }
  }

  /** For what other threads do. The test's timeout interrupts it. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.currentThread().isInterrupted()).as("waited in vain").isFalse();
      LockSupport.parkNanos(100_000);
    }
  }
}
