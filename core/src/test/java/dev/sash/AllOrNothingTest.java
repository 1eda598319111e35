package dev.sash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision.Source;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.FailureRules;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import dev.sash.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AllOrNothingTest {
  private final AtomicLong micros = new AtomicLong();
  private final InMemoryStore store = InMemoryStore.builder().clock(micros::get).build();

  private static RateLimiter limiter(Store store, String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private RateLimiter limiter(String name, String limit) {
    return limiter(store, name, limit);
  }

  private record KeyPart(ResolvedKey key, long permits) implements AllOrNothing.Part {
    @Override
    public String policy() {
      return key.policy().name();
    }

    @Override
    public CompletionStage<Decision> tryAcquire(long permits) {
      return key.tryAcquireAsync(permits);
    }

    @Override
    public CompletionStage<Decision> refund(Decision charged) {
      return key.refundAsync(permits, charged);
    }
  }

  /** Charged whether its permits fit or not. */
  private record RecordedPart(RateLimiter limiter, long permits) implements AllOrNothing.Part {
    @Override
    public String policy() {
      return limiter.policy().name();
    }

    @Override
    public boolean isAlwaysCharged() {
      return true;
    }

    @Override
    public CompletionStage<Decision> tryAcquire(long permits) {
      return limiter.chargeAsync("key", permits);
    }

    @Override
    public CompletionStage<Decision> refund(Decision charged) {
      throw new AssertionError("what is recorded stays recorded");
    }
  }

  @Test
  void whatIsAlwaysChargedStaysChargedIfAnotherDeniesWhateverItsPlace() {
    for (int place = 0; place < 3; place++) {
      for (long permits : new long[] {3, 30}) {
        RateLimiter recorded = limiter("recorded", "10/1m");
        RateLimiter full = limiter("full", "1/1m");
        RateLimiter free = limiter("free", "10/1m");
        List.of(recorded, full, free).forEach(limiter -> limiter.reset("key"));
        full.tryAcquire("key");
        List<AllOrNothing.Part> parts = new ArrayList<>(List.of(part(free, 2), part(full, 1)));
        parts.add(place, new RecordedPart(recorded, permits));

        List<Decision> decisions = AllOrNothing.tryAcquire(parts).join();

        assertThat(decisions.get(place).used()).isEqualTo(permits);
        assertThat(decisions.get(place).allowed()).isEqualTo(permits == 3);
        assertThat(used(recorded)).isEqualTo(permits);
        assertThat(used(full)).isEqualTo(1);
        assertThat(used(free)).isZero();
      }
    }
  }

  @Test
  void whatIsAlwaysChargedBeyondItsLimitDeniesAndTheOthersEndUncharged() {
    for (int place = 0; place < 2; place++) {
      RateLimiter recorded = limiter("recorded", "10/1m");
      RateLimiter free = limiter("free", "10/1m");
      List.of(recorded, free).forEach(limiter -> limiter.reset("key"));
      List<AllOrNothing.Part> parts = new ArrayList<>(List.of(part(free, 2)));
      parts.add(place, new RecordedPart(recorded, 30));

      List<Decision> decisions = AllOrNothing.tryAcquire(parts).join();

      assertThat(decisions.get(place).allowed()).isFalse();
      assertThat(used(recorded)).isEqualTo(30);
      assertThat(used(free)).isZero();
    }
  }

  private static KeyPart part(RateLimiter limiter, long permits) {
    return new KeyPart(limiter.resolve("key"), permits);
  }

  private static List<Decision> tryAcquire(KeyPart... parts) {
    return AllOrNothing.tryAcquire(List.of(parts)).join();
  }

  private static long used(RateLimiter limiter) {
    return limiter.peek("key").used();
  }

  @Test
  void chargesAllIfAllHaveRoom() {
    RateLimiter first = limiter("first", "10/1m");
    RateLimiter second = limiter("second", "5/1m");

    List<Decision> decisions = tryAcquire(part(first, 1), part(second, 4));

    assertThat(decisions).extracting(Decision::limit).containsExactly(10L, 5L);
    assertThat(decisions).allMatch(Decision::allowed);
    assertThat(used(first)).isEqualTo(1);
    assertThat(used(second)).isEqualTo(4);
  }

  @Test
  void chargesNoneIfOneDeniesWhateverItsPlace() {
    for (int denying = 0; denying < 3; denying++) {
      List<RateLimiter> limiters =
          List.of(limiter("a", "10/1m"), limiter("b", "10/1m"), limiter("c", "10/1m"));
      limiters.forEach(limiter -> limiter.reset("key"));
      limiters.get(denying).tryAcquire("key", 10);

      List<Decision> decisions =
          AllOrNothing.tryAcquire(limiters.stream().map(limiter -> part(limiter, 2)).toList())
              .join();

      for (int i = 0; i < 3; i++) {
        assertThat(used(limiters.get(i))).isEqualTo(i == denying ? 10 : 0);
        assertThat(decisions.get(i).allowed()).isEqualTo(i != denying);
        assertThat(decisions.get(i).remaining()).isEqualTo(i == denying ? 0 : 10);
      }
    }
  }

  @Test
  void findsEveryPolicyThatDeniesAndItsWait() {
    RateLimiter first = limiter("first", "1/1m");
    RateLimiter second = limiter("second", "1/1h");
    RateLimiter third = limiter("third", "1/1d");
    first.tryAcquire("key");
    third.tryAcquire("key");

    List<Decision> decisions = tryAcquire(part(first, 1), part(second, 1), part(third, 1));

    assertThat(decisions)
        .extracting(Decision::retryAfter)
        .containsExactly(Duration.ofMinutes(1), Duration.ZERO, Duration.ofDays(1));
    assertThat(used(second)).isZero();
  }

  @Test
  void peeksAtTheOthersWithoutChargingThem() {
    LateStore before = new LateStore(store);
    LateStore full = new LateStore(store);
    LateStore roomy = new LateStore(store);
    LateStore fullToo = new LateStore(store);
    limiter("full", "1/1m").tryAcquire("key");
    limiter("full-too", "1/1m").tryAcquire("key");

    CompletableFuture<List<Decision>> decisions =
        AllOrNothing.tryAcquire(
            List.of(
                part(limiter(before, "before", "10/1m"), 3),
                part(limiter(full, "full", "1/1m"), 1),
                part(limiter(roomy, "roomy", "10/1m"), 2),
                part(limiter(fullToo, "full-too", "1/1m"), 1)));
    while (full.answer() || roomy.answer() || fullToo.answer() || before.answer()) {}

    assertThat(decisions).isCompleted();
    assertThat(before.log).containsExactly("ACQUIRE 3", "REFUND 3");
    assertThat(full.log).containsExactly("ACQUIRE 1");
    assertThat(roomy.log).containsExactly("PEEK 0");
    assertThat(fullToo.log).containsExactly("PEEK 0", "ACQUIRE 1");
  }

  @Test
  void refundsWhatBecameFreeAfterThePeek() {
    RateLimiter full = limiter("full", "1/1m");
    full.tryAcquire("key");
    RateLimiter memory = limiter("late", "2/1s");
    memory.tryAcquire("key", 2);
    LateStore late = new LateStore(store);

    CompletableFuture<List<Decision>> decisions =
        AllOrNothing.tryAcquire(List.of(part(full, 1), part(limiter(late, "late", "2/1s"), 1)));
    assertThat(late.answer()).isTrue(); // no room
    micros.addAndGet(1_000_000);
    assertThat(late.answer()).isTrue(); // room
    assertThat(late.answer()).isTrue(); // refunded

    assertThat(late.log).containsExactly("PEEK 0", "ACQUIRE 1", "REFUND 1");
    assertThat(used(memory)).isZero();
    assertThat(decisions.join().get(1).allowed()).isTrue();
    assertThat(decisions.join().get(1).remaining()).isEqualTo(2);
  }

  @Test
  void chargesTheNextOnlyAfterThePreviousHasDecided() {
    LateStore first = new LateStore(store);
    LateStore second = new LateStore(store);

    CompletableFuture<List<Decision>> decisions =
        AllOrNothing.tryAcquire(
            List.of(
                part(limiter(first, "first", "10/1m"), 1),
                part(limiter(second, "second", "10/1m"), 1)));

    assertThat(second.log).isEmpty();
    first.answer();
    assertThat(second.log).containsExactly("ACQUIRE 1");
    assertThat(decisions).isNotDone();
    second.answer();
    assertThat(decisions).isCompleted();
  }

  @Test
  void aStoreThatFailsLeavesNothingCharged() {
    RateLimiter first = limiter("first", "10/1m");
    LateStore second = new LateStore(store);
    second.failure = new IllegalStateException("broken");

    CompletableFuture<List<Decision>> decisions =
        AllOrNothing.tryAcquire(
            List.of(part(first, 1), part(limiter(second, "second", "10/1m"), 1)));
    assertThat(used(first)).isEqualTo(1);
    second.answer();

    assertThatThrownBy(decisions::join).hasRootCauseMessage("broken");
    assertThat(used(first)).isZero();
  }

  @Test
  void aRefundThatFailsDoesNotChangeTheDecision() {
    LateStore first = new LateStore(store);
    RateLimiter full = limiter("full", "1/1m");
    full.tryAcquire("key");

    CompletableFuture<List<Decision>> decisions =
        AllOrNothing.tryAcquire(List.of(part(limiter(first, "first", "10/1m"), 1), part(full, 1)));
    first.answer();
    first.failure = new IllegalStateException("broken");
    first.answer();

    assertThat(decisions.join()).extracting(Decision::allowed).containsExactly(true, false);
  }

  @Test
  void aLocalAdmissionIsNotRefundedToAStoreThatHasRecovered() {
    Store unstable = new FailureRules(new FailingOnce(store), 1, InMemoryStore::create);
    RateLimiter api = limiter(unstable, "api", "10/1m");
    RateLimiter full = limiter("full", "1/1m");
    limiter("api", "10/1m").tryAcquire("key", 4);
    full.tryAcquire("key");

    List<Decision> decisions = tryAcquire(part(api, 3), part(full, 1));

    assertThat(decisions.get(0).source()).isEqualTo(Source.LOCAL);
    assertThat(decisions.get(0).remaining()).as("refunded where it was charged").isEqualTo(10);
    assertThat(used(api)).as("charged to the store by others").isEqualTo(4);
  }

  @Test
  void whatWasAdmittedWithoutAChargeIsNotRefunded() {
    Store unstable = new FailureRules(new FailingOnce(store), 1, InMemoryStore::create);
    Policy policy = Policy.of("api", Limit.parse("10/1m")).onFailure(FailureRule.OPEN);
    RateLimiter full = limiter("full", "1/1m");
    store.limiter(policy).tryAcquire("key", 4);
    full.tryAcquire("key");

    List<Decision> decisions = tryAcquire(part(unstable.limiter(policy), 3), part(full, 1));

    assertThat(decisions.get(0).source()).isEqualTo(Source.FAILURE_RULE);
    assertThat(used(store.limiter(policy))).isEqualTo(4);
  }

  /** Unavailable for the first request. */
  private static final class FailingOnce extends StoreDecorator {
    private boolean failed;

    FailingOnce(Store store) {
      super(store);
    }

    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      if (!failed) {
        failed = true;
        throw new StoreException(StoreException.Reason.UNAVAILABLE, "down", null);
      }
      return store.decide(operation, limits, key, permits);
    }
  }

  @Test
  void manyThreadsGetNoMoreThanTheLowestLimitAndLeaveNothingBehind() throws Exception {
    RateLimiter wide = limiter("wide", "1000000/1h");
    RateLimiter narrow = limiter("narrow", "500/1h");
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      boolean wideFirst = t % 2 == 0;
      tasks.add(
          () -> {
            int admitted = 0;
            for (int i = 0; i < 1_000; i++) {
              List<Decision> decisions =
                  wideFirst
                      ? tryAcquire(part(wide, 1), part(narrow, 1))
                      : tryAcquire(part(narrow, 1), part(wide, 1));
              admitted += decisions.stream().allMatch(Decision::allowed) ? 1 : 0;
            }
            return admitted;
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(8);
    int admitted = 0;
    try {
      for (Future<Integer> task : pool.invokeAll(tasks)) {
        admitted += task.get();
      }
    } finally {
      pool.shutdown();
    }

    assertThat(admitted).isEqualTo(500);
    assertThat(used(narrow)).isEqualTo(500);
    assertThat(used(wide)).isEqualTo(500);
  }
}
