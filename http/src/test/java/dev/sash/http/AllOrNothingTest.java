package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class AllOrNothingTest {
  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();

  private RateLimiter limiter(String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private static Asking asking(RateLimiter limiter, long permits) {
    return new Asking(limiter, limiter.policy().limits(), "key", permits, null, null);
  }

  private static List<Decision> charge(Asking... askings) {
    return AllOrNothing.charge(List.of(askings)).join();
  }

  private static long used(RateLimiter limiter) {
    return limiter.peek("key").used();
  }

  @Test
  void chargesAllIfAllHaveRoom() {
    RateLimiter first = limiter("first", "10/1m");
    RateLimiter second = limiter("second", "5/1m");

    List<Decision> answers = charge(asking(first, 1), asking(second, 4));

    assertThat(answers).extracting(Decision::limit).containsExactly(10L, 5L);
    assertThat(answers).allMatch(Decision::allowed);
    assertThat(used(first)).isEqualTo(1);
    assertThat(used(second)).isEqualTo(4);
  }

  @Test
  void chargesNoneIfOneDeniesWhereverItStands() {
    for (int denying = 0; denying < 3; denying++) {
      List<RateLimiter> limiters =
          List.of(limiter("a", "10/1m"), limiter("b", "10/1m"), limiter("c", "10/1m"));
      limiters.get(denying).tryAcquire("key", 10);

      List<Decision> answers =
          AllOrNothing.charge(limiters.stream().map(limiter -> asking(limiter, 2)).toList()).join();

      for (int i = 0; i < 3; i++) {
        assertThat(used(limiters.get(i))).isEqualTo(i == denying ? 10 : 0);
        assertThat(answers.get(i).allowed()).isEqualTo(i != denying);
        assertThat(answers.get(i).remaining()).isEqualTo(i == denying ? 0 : 10);
      }
    }
  }

  @Test
  void findsEveryPolicyThatStandsInTheWayAndItsWait() {
    RateLimiter first = limiter("first", "1/1m");
    RateLimiter second = limiter("second", "1/1h");
    RateLimiter third = limiter("third", "1/1d");
    first.tryAcquire("key");
    third.tryAcquire("key");

    List<Decision> answers = charge(asking(first, 1), asking(second, 1), asking(third, 1));

    assertThat(answers)
        .extracting(Decision::retryAfter)
        .containsExactly(Duration.ofMinutes(1), Duration.ZERO, Duration.ofDays(1));
    assertThat(used(second)).isZero();
  }

  @Test
  void looksAtTheOthersWithoutChargingThem() {
    LateLimiter full = new LateLimiter(limiter("full", "1/1m"));
    LateLimiter roomy = new LateLimiter(limiter("roomy", "10/1m"));
    LateLimiter fullToo = new LateLimiter(limiter("full-too", "1/1m"));
    LateLimiter before = new LateLimiter(limiter("before", "10/1m"));
    AllOrNothing.charge(List.of(asking(full, 1))).cancel(false);
    AllOrNothing.charge(List.of(asking(fullToo, 1))).cancel(false);
    while (full.answer() || fullToo.answer()) {}
    full.log.clear();
    fullToo.log.clear();

    CompletableFuture<List<Decision>> answers =
        AllOrNothing.charge(
            List.of(asking(before, 3), asking(full, 1), asking(roomy, 2), asking(fullToo, 1)));
    while (full.answer() || roomy.answer() || fullToo.answer() || before.answer()) {}

    assertThat(answers).isCompleted();
    assertThat(before.log).containsExactly("ask 3", "refund 3");
    assertThat(full.log).containsExactly("ask 1");
    assertThat(roomy.log).containsExactly("ask 0");
    assertThat(fullToo.log).containsExactly("ask 0", "ask 1");
  }

  @Test
  void givesBackWhatBecameFreeWhileItLooked() {
    RateLimiter full = limiter("full", "1/1m");
    full.tryAcquire("key");
    RateLimiter memory = limiter("late", "2/1s");
    memory.tryAcquire("key", 2);
    LateLimiter late = new LateLimiter(memory);

    CompletableFuture<List<Decision>> answers =
        AllOrNothing.charge(List.of(asking(full, 1), asking(late, 1)));
    assertThat(late.answer()).isTrue(); // no room
    clock.advance(Duration.ofSeconds(1));
    assertThat(late.answer()).isTrue(); // room
    assertThat(late.answer()).isTrue(); // given back

    assertThat(late.log).containsExactly("ask 0", "ask 1", "refund 1");
    assertThat(memory.peek("key").used()).isZero();
    assertThat(answers.join().get(1).allowed()).isTrue();
    assertThat(answers.join().get(1).remaining()).isEqualTo(2);
  }

  @Test
  void asksTheNextOnlyWhenTheOneBeforeHasAnswered() {
    LateLimiter first = new LateLimiter(limiter("first", "10/1m"));
    LateLimiter second = new LateLimiter(limiter("second", "10/1m"));

    CompletableFuture<List<Decision>> answers =
        AllOrNothing.charge(List.of(asking(first, 1), asking(second, 1)));

    assertThat(second.log).isEmpty();
    first.answer();
    assertThat(second.log).containsExactly("ask 1");
    assertThat(answers).isNotDone();
    second.answer();
    assertThat(answers).isCompleted();
  }

  @Test
  void aLimiterThatFailsLeavesNothingCharged() {
    RateLimiter first = limiter("first", "10/1m");
    LateLimiter second = new LateLimiter(limiter("second", "10/1m"));
    second.failure = new IllegalStateException("broken");

    CompletableFuture<List<Decision>> answers =
        AllOrNothing.charge(List.of(asking(first, 1), asking(second, 1)));
    assertThat(used(first)).isEqualTo(1);
    second.answer();

    assertThatThrownBy(answers::join).hasRootCauseMessage("broken");
    assertThat(used(first)).isZero();
  }

  @Test
  void aRefundThatFailsDoesNotChangeTheAnswer() {
    LateLimiter first = new LateLimiter(limiter("first", "10/1m"));
    RateLimiter full = limiter("full", "1/1m");
    full.tryAcquire("key");

    CompletableFuture<List<Decision>> answers =
        AllOrNothing.charge(List.of(asking(first, 1), asking(full, 1)));
    first.answer();
    first.failure = new IllegalStateException("broken");
    first.answer();

    assertThat(answers.join()).extracting(Decision::allowed).containsExactly(true, false);
  }

  @Test
  void aCrowdNeverGetsMoreThanTheLeastAndLeavesNothingBehind() throws Exception {
    RateLimiter wide = limiter("wide", "1000000/1h");
    RateLimiter narrow = limiter("narrow", "500/1h");
    List<Callable<Integer>> members = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      boolean wideFirst = t % 2 == 0;
      members.add(
          () -> {
            int admitted = 0;
            for (int i = 0; i < 1_000; i++) {
              List<Decision> answers =
                  wideFirst
                      ? charge(asking(wide, 1), asking(narrow, 1))
                      : charge(asking(narrow, 1), asking(wide, 1));
              admitted += answers.stream().allMatch(Decision::allowed) ? 1 : 0;
            }
            return admitted;
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(8);
    int admitted = 0;
    try {
      for (Future<Integer> member : pool.invokeAll(members)) {
        admitted += member.get();
      }
    } finally {
      pool.shutdown();
    }

    assertThat(admitted).isEqualTo(500);
    assertThat(used(narrow)).isEqualTo(500);
    assertThat(used(wide)).isEqualTo(500);
  }
}
