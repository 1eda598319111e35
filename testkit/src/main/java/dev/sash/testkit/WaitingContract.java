package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for permits, with a thread and without one. */
@Timeout(300)
public abstract class WaitingContract extends StoreContract {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** A store may have one alarm of its own, to clean up. */
  private static final int ALARMS_OF_THE_STORE = 1;

  /** For subclasses. */
  protected WaitingContract() {}

  @Test
  void doesNotWaitForWhatIsThere() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/1s"));

    assertThat(limiter.acquire("k", 2, HOUR).remaining()).isOne();
    assertThat(limiter.acquireAsync("k", 1, HOUR)).isCompletedWithValueMatching(Decision::allowed);
    assertThat(limiter.acquire("k", 0, HOUR).used()).isEqualTo(3);
    assertThat(pauses.pauses()).isEmpty();
  }

  @Test
  void waitsExactlyAsLongAsTheDenialSays() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/1s"));
    limiter.tryAcquire("k", 2);
    clock.advanceMicros(300_001);
    limiter.tryAcquire("k", 1);

    Future<Decision> two = inThread(() -> limiter.acquire("k", 2, HOUR));
    await(() -> pauses.pending() == 1);
    clock.advanceMicros(699_998);
    assertThat(limiter.peek("k").used()).isEqualTo(3);
    assertThat(two.isDone()).isFalse();
    clock.advanceMicros(1);

    assertThat(two.get().allowed()).isTrue();
    assertThat(pauses.pauses()).containsExactly(699_999L);
    assertThat(limiter.peek("k").used()).isEqualTo(3);
  }

  @Test
  void deniesAtOnceWhatWouldTakeLongerThanTheCallerWaits() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/1s"));
    Duration tooShort = SECOND.minusNanos(1_000);
    limiter.tryAcquire("k", 3);
    Decision denied = limiter.tryAcquire("k", 1);

    assertThat(limiter.acquire("k", 1, tooShort)).isEqualTo(denied);
    assertThat(limiter.acquire("k", 1, Duration.ZERO)).isEqualTo(denied);
    assertThat(limiter.acquireAsync("k", 1, tooShort)).isCompletedWithValue(denied);
    assertThat(pauses.pauses()).isEmpty();
    assertThat(limiter.peek("k").used()).isEqualTo(3);
  }

  @Test
  void waitsAsLongAsTheCallerDoesAndNoLonger() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("1/1s"));
    limiter.tryAcquire("k");

    Future<Decision> one = inThread(() -> limiter.acquire("k", 1, SECOND));
    Future<Decision> other = inThread(() -> limiter.acquire("k", 1, SECOND));
    await(() -> pauses.pending() == 2);
    clock.advance(SECOND);

    List<Decision> decisions = List.of(one.get(), other.get());
    assertThat(decisions).filteredOn(Decision::allowed).hasSize(1);
    assertThat(decisions)
        .filteredOn(d -> !d.allowed())
        .extracting(Decision::retryAfter)
        .containsExactly(SECOND);
    assertThat(pauses.pauses()).containsExactly(1_000_000L, 1_000_000L);
    clock.advance(SECOND);
    assertThat(limiter.peek("k").used()).isZero();
  }

  @Test
  void deniesAtOnceWhatIsNeverAllowed() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/1s"));
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);

    assertThat(limiter.acquire("k", 4, forEver).neverAllowed()).isTrue();
    assertThat(limiter.acquireAsync("k", 4, forEver))
        .isCompletedWithValueMatching(Decision::neverAllowed);
    assertThat(pauses.pauses()).isEmpty();
    assertThat(limiter.peek("k").used()).isZero();
  }

  @Test
  void waitsWithoutEnd() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/366d"));
    clock.setMicros(latestMicros() / 4);
    limiter.tryAcquire("k", 3);

    Future<Decision> one =
        inThread(() -> limiter.acquire("k", 1, Duration.ofSeconds(Long.MAX_VALUE)));
    await(() -> pauses.pending() == 1);
    clock.advance(Duration.ofDays(366));

    assertThat(one.get().used()).isOne();
  }

  @Test
  void anInterruptedThreadSpendsNothing() {
    RateLimiter limiter = limiter("3/1s");

    Thread.currentThread().interrupt();

    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> limiter.acquire("k", 1, HOUR));
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(limiter.peek("k").used()).isZero();
  }

  @Test
  void anInterruptEndsTheWaitAndSpendsNothing() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("3/1s"));
    limiter.tryAcquire("k", 3);
    FutureTask<Decision> task = new FutureTask<>(() -> limiter.acquire("k", 1, HOUR));
    Thread thread = new Thread(task);
    thread.start();
    await(() -> pauses.pending() == 1);

    thread.interrupt();

    assertThat(task)
        .failsWithin(30, TimeUnit.SECONDS)
        .withThrowableThat()
        .withRootCauseInstanceOf(InterruptedException.class);
    assertThat(pauses.pending()).isZero();
    assertThat(clock.waiting()).isLessThanOrEqualTo(ALARMS_OF_THE_STORE);
    clock.advance(SECOND);
    assertThat(limiter.peek("k").used()).isZero();
  }

  @Test
  void parksNoThreadForTheAsynchronousWait() {
    RateLimiter limiter = limiter("3/1s");
    limiter.tryAcquire("k", 3);
    int threads = Thread.getAllStackTraces().size();

    List<CompletableFuture<Decision>> waiting = acquireAsync(limiter, 500);

    assertThat(clock.waiting()).isGreaterThanOrEqualTo(500);
    assertThat(Thread.getAllStackTraces().size()).isLessThan(threads + 50);
    waiting.forEach(future -> future.cancel(false));
  }

  @Test
  void aCancelledWaitSpendsNothingAndLeavesNoAlarm() {
    RateLimiter limiter = limiter("3/1s");
    limiter.tryAcquire("k", 3);
    List<CompletableFuture<Decision>> waiting = acquireAsync(limiter, 10);
    assertThat(clock.waiting()).isGreaterThanOrEqualTo(10);

    waiting.forEach(future -> future.cancel(false));

    assertThat(clock.waiting()).isLessThanOrEqualTo(ALARMS_OF_THE_STORE);
    clock.advance(SECOND);
    assertThat(limiter.peek("k").used()).isZero();
  }

  @RepeatedTest(50)
  void aWaitThatIsCancelledInTheLastMomentSpendsNothing() {
    RateLimiter limiter = limiter("1/1s");
    limiter.tryAcquire("k");
    CompletableFuture<Decision> waiting = acquireAsync(limiter, 1).get(0);
    Thread canceller = new Thread(() -> waiting.cancel(false));
    canceller.start();

    clock.advance(SECOND);

    await(waiting::isDone);
    await(() -> limiter.peek("k").used() == (waiting.isCancelled() ? 0 : 1));
  }

  @RepeatedTest(5)
  void everyOneOfManyWaitingThreadsIsServedInItsTurn() throws Exception {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("2/1s"));
    List<Future<Decision>> waiting = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      waiting.add(inThread(() -> limiter.acquire("k", 1, HOUR)));
    }
    serve(pauses, limiter, waiting);
  }

  @RepeatedTest(5)
  void everyOneOfManyWaitingFuturesIsServedInItsTurn() {
    PausesOf pauses = new PausesOf(store());
    RateLimiter limiter = pauses.limiter(policy().withLimits("2/1s"));
    serve(pauses, limiter, new ArrayList<>(acquireAsync(limiter, 8)));
  }

  /** Of eight who want one permit each, two are admitted each second. */
  private void serve(PausesOf pauses, RateLimiter limiter, List<Future<Decision>> waiting) {
    for (int served = 2; served <= 8; served += 2) {
      int expected = served;
      await(
          () ->
              pauses.pending() == 8 - expected
                  && waiting.stream().filter(Future::isDone).count() == expected,
          () -> expected + " served; " + pauses + ", " + clock + ", " + limiter.peek("k"));
      assertThat(limiter.peek("k").used()).isEqualTo(2);
      clock.advance(SECOND);
    }
    assertThat(waiting).allSatisfy(future -> assertThat(future.get().allowed()).isTrue());
  }

  private static List<CompletableFuture<Decision>> acquireAsync(RateLimiter limiter, int times) {
    List<CompletableFuture<Decision>> futures = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      futures.add(limiter.acquireAsync("k", 1, HOUR).toCompletableFuture());
    }
    return futures;
  }

  private static Future<Decision> inThread(Callable<Decision> action) {
    FutureTask<Decision> task = new FutureTask<>(action);
    new Thread(task).start();
    return task;
  }

  private static void await(BooleanSupplier condition) {
    await(condition, () -> "waited in vain");
  }

  /** For what other threads do. The test's timeout interrupts it. */
  private static void await(BooleanSupplier condition, Supplier<String> what) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.currentThread().isInterrupted()).as(what).isFalse();
      LockSupport.parkNanos(100_000);
    }
  }
}
