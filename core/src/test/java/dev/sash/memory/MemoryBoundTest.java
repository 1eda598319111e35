package dev.sash.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bound in bytes: it holds for long keys and for long logs, and all bytes are given back. */
@Timeout(60)
class MemoryBoundTest {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3_600 * SECOND;
  private static final List<List<Limit>> SETS =
      List.of(
          List.of(Limit.parse("500/1m")),
          List.of(Limit.parse("9/1m")),
          List.of(Limit.parse("9000/1h cells=60")),
          List.of(Limit.parse("9/1m sliding-counter")),
          List.of(Limit.parse("9/1m fixed-window"), Limit.parse("700/1h")),
          List.of(Limit.parse("9/1m token-bucket"), Limit.parse("500/1m")),
          List.of(Limit.parse("50/71m")));

  private final HandClock clock = new HandClock();

  @Test
  void longKeysFillTheStoreSooner() {
    InMemoryStore store = store(1 << 20);
    RateLimiter limiter = store.limiter(Policy.of("p", Limit.parse("3/1h")));
    String filler = "x".repeat(1_000);
    for (int i = 0; i < 5_000; i++) {
      limiter.tryAcquire(filler + i);
      assertThat(store.bytes()).isLessThanOrEqualTo(store.maxBytes());
    }

    assertThat(store.keys()).isBetween(400L, 1_000L);
    assertThat(limiter.tryAcquire(filler + 0).source()).isEqualTo(Source.STORE);
    assertThat(limiter.tryAcquire(filler + 4_999).source()).isEqualTo(Source.OVERFLOW);
  }

  @Test
  void logsGrowUntilTheStoreIsFullAndNeverBeyondTheirLimit() {
    InMemoryStore store = store(64 << 10);
    RateLimiter limiter = store.limiter(Policy.of("p", Limit.parse("1000/1h")));
    Map<String, Integer> admitted = new HashMap<>();
    boolean overflowed = false;
    for (int round = 0; round < 1_500; round++) {
      clock.advance(1);
      for (int i = 0; i < 50; i++) {
        Decision decision = limiter.tryAcquire("key " + i);
        overflowed |= decision.source() == Source.OVERFLOW;
        admitted.merge("key " + i, decision.allowed() ? 1 : 0, Integer::sum);
      }
      assertThat(store.bytes()).isLessThanOrEqualTo(store.maxBytes());
    }

    assertThat(overflowed).isTrue();
    assertThat(store.keys()).as("no live key is dropped").isEqualTo(50);
    assertThat(admitted.values()).allMatch(permits -> permits <= 1_000);
    clock.advance(HOUR);
    store.sweepAll();
    assertThat(store.bytes()).isZero();
    assertThat(store.keys()).isZero();
  }

  @Test
  void aHeldKeyWithoutRoomForARecordStaysWithinItsLimitInEveryWindow() {
    InMemoryStore store = store(4 << 10);
    RateLimiter limiter = store.limiter(Policy.of("p", Limit.parse("100/1m")));
    List<Long> admissions = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      limiter.tryAcquire("other " + i);
    }
    for (int second = 0; second < 600; second++) {
      clock.set(second * SECOND / 2);
      for (int i = 0; i < 3; i++) {
        limiter.tryAcquire("other " + second % 40);
        if (limiter.tryAcquire("greedy").allowed()) {
          admissions.add(clock.micros());
        }
      }
    }
    for (int last = 0; last < admissions.size(); last++) {
      long end = admissions.get(last);
      long inWindow =
          admissions.subList(0, last + 1).stream().filter(at -> at > end - 60 * SECOND).count();
      assertThat(inWindow).isLessThanOrEqualTo(100);
    }
    assertThat(admissions.size()).isGreaterThan(300);
  }

  @Test
  void aHeldKeySharesOnlyTheLimitForWhichThereIsNoRoom() {
    Limit log = Limit.parse("1000/1h");
    Limit bucket = Limit.parse("500/1h token-bucket");
    InMemoryStore store = store(2_000);
    RateLimiter both = store.limiter(Policy.of("p", log, bucket));
    int admitted = 0;
    while (both.tryAcquire("k").source() == Source.STORE) {
      admitted++;
    }

    assertThat(both.inspect("k").usages())
        .extracting(usage -> usage.used())
        .containsExactly((long) admitted, admitted + 1L);
    assertThat(both.withLimits(List.of(log)).peek("k").used()).isEqualTo(admitted + 1);
    assertThat(both.withLimits(List.of(bucket)).peek("k").used()).isEqualTo(admitted + 1);
  }

  @Test
  void aStoreTooSmallForAnythingLetsKeysShare() {
    InMemoryStore store = store(1);
    RateLimiter limiter = store.limiter(Policy.of("p", Limit.parse("3/1s")));

    assertThat(limiter.tryAcquire("a", 2).source()).isEqualTo(Source.OVERFLOW);
    assertThat(limiter.tryAcquire("b", 2).allowed()).isFalse();
    assertThat(limiter.tryAcquire("b", 1).allowed()).isTrue();
    assertThat(store.keys()).isZero();
    assertThat(store.bytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {2_000, 20_000, 1L << 40})
  void everyByteIsGivenBackWhenAllKeysAreIdle(long maxBytes) {
    InMemoryStore store = store(maxBytes);
    for (long seed = 1; seed <= 20; seed++) {
      useAtRandom(store, new SplittableRandom(seed), 2_000, true);
      clock.advance(3 * HOUR);
      store.sweepAll();
      assertThat(store.keys()).as("seed %d", seed).isZero();
      assertThat(store.bytes()).as("seed %d", seed).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {2_000, 20_000, 1L << 40})
  void everyByteIsGivenBackWhenAllKeysAreReset(long maxBytes) {
    InMemoryStore store = store(maxBytes);
    for (long seed = 1; seed <= 20; seed++) {
      useAtRandom(store, new SplittableRandom(seed), 2_000, true);
      for (int key = 0; key < 20; key++) {
        for (List<Limit> limits : SETS) {
          store.limiter(Policy.named("p").withLimits(limits)).reset("key " + key);
        }
      }
      assertThat(store.keys()).as("seed %d", seed).isZero();
      assertThat(store.bytes()).as("seed %d", seed).isZero();
      clock.advance(3 * HOUR);
    }
  }

  @Test
  void countsRightUnderManyThreads() throws Exception {
    InMemoryStore store = store(20_000);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> users = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SplittableRandom random = new SplittableRandom(i);
        users.add(pool.submit(() -> useAtRandom(store, random, 20_000, false)));
      }
      for (Future<?> user : users) {
        user.get();
      }
    } finally {
      pool.shutdown();
    }
    clock.advance(3 * HOUR);
    store.sweepAll();

    assertThat(store.keys()).isZero();
    assertThat(store.bytes()).isZero();
  }

  @Test
  void theBoundIsThatOfAllPoliciesTogether() {
    InMemoryStore store = store(10_000);
    for (int i = 0; i < 100; i++) {
      store.limiter(Policy.of("p" + i, Limit.parse("3/1h"))).tryAcquire("k");
      store.limiter(Policy.of("p" + i, Limit.parse("3/1h"))).tryAcquire("l");
    }

    assertThat(store.bytes()).isBetween(9_000L, 10_000L);
    assertThat(store.keys()).isBetween(20L, 100L);
    assertThat(store.keys("p0")).isEqualTo(2);
    assertThat(store.keys("p99")).isZero();
    assertThat(store.keys("unknown")).isZero();
  }

  @Test
  void refusesBoundsBelowOne() {
    for (long maxBytes : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> InMemoryStore.builder().maxBytes(maxBytes))
          .withMessage("maxBytes must be between 1 and 9223372036854775807, was %d", maxBytes);
    }
    assertThat(InMemoryStore.create().maxBytes()).isPositive();
  }

  @Test
  void aReservationThatFailsTakesNothing() {
    MemoryBudget budget = new MemoryBudget(100);

    assertThat(budget.tryReserve(60)).isTrue();
    assertThat(budget.tryReserve(41)).isFalse();
    assertThat(budget.tryReserve(Long.MAX_VALUE)).isFalse();
    assertThat(budget.used()).isEqualTo(60);
    assertThat(budget.tryReserve(40)).isTrue();
    assertThat(budget.tryReserve(-100)).isTrue();
    assertThat(budget.used()).isZero();
  }

  private void useAtRandom(
      InMemoryStore store, SplittableRandom random, int requests, boolean movesClock) {
    for (int i = 0; i < requests; i++) {
      if (movesClock) {
        clock.advance(random.nextLong(random.nextInt(10) == 0 ? 20 * SECOND : 1_000));
      }
      List<Limit> limits = SETS.get(random.nextInt(SETS.size()));
      RateLimiter limiter = store.limiter(Policy.named("p").withLimits(limits));
      String key = "key " + random.nextInt(20);
      long permits = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1;
      switch (random.nextInt(20)) {
        case 0 -> limiter.reset(key);
        case 1 -> limiter.refund(key, permits);
        case 2 -> limiter.charge(key, permits);
        case 3 -> limiter.peek(key);
        case 4 -> limiter.inspect(key);
        default -> limiter.tryAcquire(key, permits);
      }
      if (movesClock) {
        assertThat(store.bytes()).isBetween(0L, store.maxBytes());
      }
    }
  }

  private InMemoryStore store(long maxBytes) {
    return InMemoryStore.builder().clock(clock).maxKeys(1_023).maxBytes(maxBytes).build();
  }
}
