package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A limiter for one key finds its state, whatever happens to the entry that it remembers. */
@Timeout(60)
class KeyLimiterTest {
  private static final long SECOND = 1_000_000;
  private static final Limit LIMIT = Limit.parse("5/1s");

  private final AtomicLong time = new AtomicLong();
  private final InMemoryStore store =
      InMemoryStore.builder().clock(time::get).maxKeys(1_000).build();
  private final LimiterRegistry limiters = new LimiterRegistry(store);
  private final RateLimiter limiter = limiters.put(Policy.of("p", LIMIT));
  private final KeyLimiter one = limiter.forKey("k");

  @Test
  void sharesItsStateWithTheLimiter() {
    assertThat(one.tryAcquire().used()).isOne();
    assertThat(limiter.tryAcquire("k", 2).used()).isEqualTo(3);
    assertThat(one.tryAcquire(2).used()).isEqualTo(5);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(limiter.forKey("k").peek()).isEqualTo(limiter.peek("k"));
    assertThat(limiter.forKey("other").peek().used()).isZero();
  }

  @Test
  void looksAgainWhenItsEntryWasSweptAway() {
    one.tryAcquire(5);
    time.set(SECOND);
    for (int i = 0; i < 100; i++) {
      limiter.tryAcquire("other " + i); // new keys sweep idle ones away
    }
    assertThat(store.keys()).isEqualTo(100);

    assertThat(limiter.tryAcquire("k", 3).used()).isEqualTo(3);
    assertThat(one.tryAcquire(2).used()).isEqualTo(5);
    assertThat(one.tryAcquire().allowed()).isFalse();
  }

  @Test
  void looksAgainWhenItsKeyWasReset() {
    one.tryAcquire(5);
    limiter.reset("k");
    assertThat(one.peek().used()).isZero();
    assertThat(limiter.tryAcquire("k", 4).used()).isEqualTo(4);
    assertThat(one.tryAcquire().used()).isEqualTo(5);
    one.reset();
    assertThat(limiter.peek("k").used()).isZero();
    assertThat(store.keys()).isZero();
  }

  @Test
  void looksAgainWhenItsEntryWasReplacedByOneOfSeveralKinds() {
    one.tryAcquire(2);
    RateLimiter hourly = limiter.withLimits(List.of(Limit.parse("9/1h")));
    hourly.tryAcquire("k", 4);

    assertThat(one.tryAcquire().used()).isEqualTo(3);
    assertThat(hourly.forKey("k").tryAcquire().used()).isEqualTo(5);
    assertThat(limiter.peek("k").used()).isEqualTo(3);
    time.set(SECOND);
    assertThat(one.tryAcquire(5).allowed()).isTrue();
    assertThat(hourly.peek("k").used()).isEqualTo(5);
    hourly.reset("k");
    assertThat(one.peek().used()).isEqualTo(5);
  }

  @Test
  void aShorterWaitChangesNothingElse() {
    RateLimiter hurried = limiter.waitingAtMost(Duration.ofMillis(7));
    one.tryAcquire(2);

    assertThat(hurried.policy().deadline()).isEqualTo(Duration.ofMillis(7));
    assertThat(hurried.policy().grace()).isZero();
    assertThat(hurried.policy().limits()).isEqualTo(limiter.policy().limits());
    assertThat(hurried.tryAcquire("k").used()).isEqualTo(3);
    assertThatThrownBy(() -> limiter.waitingAtMost(Duration.ZERO)).hasMessageContaining("deadline");
  }

  @Test
  void aWaitBeyondTheDeadlineEndsTheGraceAlone() {
    Duration deadline = limiter.policy().deadline();
    Duration longest = deadline.plus(limiter.policy().grace());

    Policy graceless = limiter.waitingAtMost(longest.minusNanos(1)).policy();
    assertThat(graceless.deadline()).isEqualTo(deadline);
    assertThat(graceless.grace()).isZero();
    assertThat(limiter.waitingAtMost(longest)).isSameAs(limiter);
  }

  @Test
  void followsThePolicy() {
    one.tryAcquire(5);
    Policy higher = Policy.of("p", Limit.parse("7/1s"));
    limiters.put(higher);
    assertThat(one.policy()).isSameAs(higher);
    assertThat(one.tryAcquire(2).used()).isEqualTo(7);

    limiters.put(Policy.of("p", Limit.parse("3/1m"), Limit.parse("20/1s")));
    assertThat(one.tryAcquire(3).allowed()).isTrue();
    assertThat(one.tryAcquire().decidedBy()).isEqualTo(Limit.parse("3/1m"));
    limiters.put(Policy.of("p", LIMIT));
    assertThat(one.peek().used()).isEqualTo(10);
  }

  @Test
  void choosesTheTierOfItsKeyForEveryRequest() {
    AtomicInteger permits = new AtomicInteger(1);
    RateLimiter tiered =
        limiters.put(
            Policy.named("tiered").withTiers(key -> List.of(LIMIT.withPermits(permits.get()))));
    KeyLimiter key = tiered.forKey("k");

    assertThat(key.tryAcquire().allowed()).isTrue();
    assertThat(key.tryAcquire().allowed()).isFalse();
    permits.set(2);
    assertThat(key.tryAcquire().allowed()).isTrue();
  }

  @Test
  void chargesRefundsAndWaits() throws Exception {
    Decision charged = one.tryAcquire(4);
    assertThat(one.charge(4).used()).isEqualTo(8);
    assertThat(one.refund(5, charged).used()).isEqualTo(3);
    assertThat(one.acquire(2, Duration.ZERO).allowed()).isTrue();
    assertThat(one.acquire(2, Duration.ZERO).allowed()).isFalse();
    assertThat(one.acquireAsync(1, Duration.ZERO).toCompletableFuture().get().allowed()).isFalse();
    assertThat(one.tryAcquireAsync(0).toCompletableFuture().get().used()).isEqualTo(5);
  }

  @Test
  void refusesBadArguments() {
    assertThatIllegalArgumentException().isThrownBy(() -> limiter.forKey(""));
    assertThatIllegalArgumentException().isThrownBy(() -> one.tryAcquire(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> one.tryAcquireAsync(1_000_000_001));
    assertThatIllegalArgumentException().isThrownBy(() -> one.charge(-1));
    assertThat(one.peek().used()).isZero();
  }

  @Test
  void protectsOneThing() {
    KeyLimiter single = Sash.single(Limit.parse("2/1h"), Limit.parse("9/1d"));

    assertThat(single.tryAcquire().allowed()).isTrue();
    assertThat(single.tryAcquire().allowed()).isTrue();
    assertThat(single.tryAcquire().allowed()).isFalse();
    assertThat(single).hasToString("limiter of " + single.policy() + " for one key");
  }

  @RepeatedTest(10)
  void admitsExactlyTheLimitWhateverThreadsDoToItsEntry() throws Exception {
    Limit limit = Limit.parse("1000/1h");
    limiters.put(Policy.of("p", limit));
    RateLimiter other = limiter.withLimits(List.of(Limit.parse("5/1h fixed-window")));
    AtomicInteger admitted = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        KeyLimiter own = i == 0 ? limiter.forKey("k") : one;
        threads.add(
            pool.submit(
                () -> {
                  for (int n = 0; n < 1_000; n++) {
                    admitted.addAndGet(own.tryAcquire().allowed() ? 1 : 0);
                  }
                }));
      }
      threads.add(
          pool.submit(
              () -> {
                for (int n = 0; n < 1_000; n++) {
                  other.tryAcquire("k"); // replaces the entry, and resets a part of it
                  limiter.tryAcquire("other " + n);
                  other.reset("k");
                }
              }));
      for (Future<?> thread : threads) {
        thread.get();
      }
    } finally {
      pool.shutdown();
    }

    assertThat(admitted).hasValue(1_000);
    assertThat(one.peek().used()).isEqualTo(1_000);
  }
}
