package dev.sash.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sash.Decision;
import dev.sash.LogRecorder;
import dev.sash.store.StoreException.Reason;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CircuitBreakersTest {
  private static final ResolvedLimits HASTY =
      FakeStore.resolved(FakeStore.POLICY.withDeadline(Duration.ofMillis(20)));

  private final FakeStore store = new FakeStore();
  private final CircuitBreakers breakers = new CircuitBreakers(store, "Fake");

  CircuitBreakersTest() {
    store.probe = () -> FakeStore.failure(Reason.UNAVAILABLE); // stays open unless a test says so
  }

  @AfterEach
  void endTheProbes() {
    breakers.close();
  }

  @Test
  void passesDecisionsOn() {
    assertThat(breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1))
        .isEqualTo(FakeStore.allowed(1));
    assertThat(acquireAsync("a").join()).isEqualTo(FakeStore.allowed(1));
    assertThat(store.calls).containsExactly("ACQUIRE a 1", "ACQUIRE a 1");
    assertThat(breakers.isUp()).isTrue();
  }

  @Test
  void opensAfterFiveFailuresInARow() {
    store.failsWith(Reason.UNAVAILABLE);
    for (int i = 0; i < 5; i++) {
      assertThat(breakers.isUp()).isTrue();
      assertThat(failure("a")).hasMessage("on purpose");
    }
    assertThat(breakers.isUp()).isFalse();
    int asked = store.asked();

    StoreException refusal = failure("a");
    assertThat(refusal).hasMessage("circuit breaker is open: on purpose");
    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(acquireAsync("a")).isCompletedExceptionally();
    assertThat(store.asked()).as("nobody asks").isEqualTo(asked);
  }

  @Test
  void aDeadlineBeginsAgainWhileThisProcessIsLate() throws InterruptedException {
    for (boolean async : new boolean[] {false, true}) {
      CompletableFuture<Decision> reply = new CompletableFuture<>();
      store.answer = () -> reply;
      Thread later =
          new Thread(
              () -> {
                for (int i = 0; i < 200; i++) { // at least ten deadlines, and always late
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                  store.lateNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
                }
                reply.complete(FakeStore.allowed(1));
              });
      later.start();

      Decision decision =
          async
              ? breakers.decideAsync(Operation.ACQUIRE, HASTY, "a", 1).toCompletableFuture().join()
              : breakers.decide(Operation.ACQUIRE, HASTY, "a", 1);
      assertThat(decision).isEqualTo(FakeStore.allowed(1));
      later.join();
    }
  }

  @Test
  void nobodyWaitsForALateProcessForEver() {
    store.answer = CompletableFuture::new;
    store.isAlwaysLate = true;

    StoreException failure =
        catchThrowableOfType(
            StoreException.class, () -> breakers.decide(Operation.ACQUIRE, HASTY, "a", 1));
    assertThat(failure).hasMessage("no response within PT0.02S");
    assertThat(breakers.decideAsync(Operation.ACQUIRE, HASTY, "a", 1))
        .failsWithin(Duration.ofSeconds(40));
  }

  @Test
  void withoutGraceNobodyWaitsForALateProcessAndTheStoreIsNotBlamed() {
    store.answer = CompletableFuture::new;
    store.isAlwaysLate = true;
    ResolvedLimits firm =
        FakeStore.resolved(
            FakeStore.POLICY.withDeadline(Duration.ofMillis(2)).withGrace(Duration.ZERO));
    for (int i = 0; i < 20; i++) {
      StoreException failure =
          catchThrowableOfType(
              StoreException.class, () -> breakers.decide(Operation.ACQUIRE, firm, "a", 1));
      assertThat(failure)
          .hasMessage("no response within PT0.002S, while this process was late")
          .extracting(StoreException::reason)
          .isEqualTo(Reason.OVERLOADED);
      assertThat(breakers.decideAsync(Operation.ACQUIRE, firm, "a", 1))
          .failsWithin(Duration.ofSeconds(40));
    }
    assertThat(breakers.isUp()).isTrue();

    store.isAlwaysLate = false;
    for (int i = 0; i < 5; i++) {
      assertThat(breakers.decideAsync(Operation.ACQUIRE, firm, "a", 1))
          .failsWithin(Duration.ofSeconds(40));
    }
    assertThat(breakers.isUp()).isFalse();
  }

  @Test
  void callersWithDeadlinesOfTheirOwnShareABreaker() {
    store.failsWith(Reason.UNAVAILABLE);
    for (int i = 0; i < 5; i++) {
      assertThat(failureWithin(14_990_000 - i)).hasMessage("on purpose");
    }
    assertThat(failureWithin(14_980_000)).hasMessage("circuit breaker is open: on purpose");
    assertThat(failureWithin(12_000_000)).hasMessage("on purpose");
    assertThat(failure("a")).as("another policy's").hasMessage("on purpose");
  }

  private StoreException failureWithin(long nanos) {
    ResolvedLimits caller =
        FakeStore.resolved(
            FakeStore.POLICY.withDeadline(Duration.ofNanos(nanos)).withGrace(Duration.ZERO));
    return catchThrowableOfType(
        StoreException.class, () -> breakers.decide(Operation.ACQUIRE, caller, "a", 1));
  }

  @Test
  void thereAreFewBreakersForAnyNumberOfDeadlines() {
    Random random = new Random(1);
    Set<Long> classes = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      long nanos = 1 + (long) Math.pow(60e9, random.nextDouble());
      long shared = CircuitBreakers.sharedDeadlineNanos(nanos);
      assertThat(shared).isBetween(nanos, nanos + nanos / 8);
      classes.add(shared);
    }
    assertThat(classes).hasSizeLessThan(300);
  }

  @Test
  void aRequestThatWasNeverSentSaysNothingAboutTheServer() {
    store.answer = CompletableFuture::new;
    store.givenUp = Reason.OVERLOADED;
    for (int i = 0; i < 20; i++) {
      StoreException failure =
          catchThrowableOfType(
              StoreException.class, () -> breakers.decide(Operation.ACQUIRE, HASTY, "a", 1));
      assertThat(failure.reason()).isEqualTo(Reason.OVERLOADED);
      assertThat(failure).hasMessage("too many requests to send them within PT0.02S");
    }
    assertThat(breakers.isUp()).isTrue();
  }

  @Test
  void logsAChangeOfStateOnce() {
    String opened = "WARNING Circuit breaker of Fake w opened";
    String closed = "INFO Circuit breaker of Fake w closed after";
    try (LogRecorder log = LogRecorder.of(CircuitBreaker.class)) {
      store.failsWith(Reason.UNAVAILABLE);
      for (int i = 0; i < 100; i++) {
        failure("watched");
      }
      store.probe = () -> CompletableFuture.completedFuture(FakeStore.allowed(0));
      await(breakers::isUp);
      log.await(1, closed);

      assertThat(log.messages(opened))
          .singleElement()
          .asString()
          .startsWith(opened + " (on purpose): decisions use");
      assertThat(log.messages(closed))
          .singleElement()
          .asString()
          .endsWith("the failure rule made 95 decisions meanwhile");
    }
  }

  @Test
  void aSuccessStartsTheCountAgain() {
    for (int round = 0; round < 10; round++) {
      store.failsWith(Reason.UNAVAILABLE);
      for (int i = 0; i < 4; i++) {
        failure("a");
      }
      store.answersWith(FakeStore.denied(5));
      assertThat(breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1).allowed()).isFalse();
    }
    assertThat(breakers.isUp()).isTrue();
  }

  @Test
  void foreignStateAndOverloadDoNotOpenIt() {
    for (Reason reason : new Reason[] {Reason.FOREIGN_STATE, Reason.OVERLOADED}) {
      store.failsWith(reason);
      for (int i = 0; i < 20; i++) {
        assertThat(failure("a").reason()).isEqualTo(reason);
      }
    }
    assertThat(breakers.isUp()).isTrue();
    assertThat(store.probes).hasValue(0);
  }

  @Test
  void overloadLeavesTheCountAsItIs() {
    store.failsWith(Reason.UNAVAILABLE);
    for (int i = 0; i < 4; i++) {
      failure("a");
    }
    store.failsWith(Reason.OVERLOADED);
    failure("a");
    store.failsWith(Reason.UNAVAILABLE);
    failure("a");

    assertThat(breakers.isUp()).isFalse();
  }

  @Test
  void otherExceptionsMeanThatTheStoreIsUnavailable() {
    IllegalStateException bug = new IllegalStateException("a bug");
    store.answer = () -> CompletableFuture.failedFuture(bug);

    StoreException failure = failure("a");
    assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failure).hasCause(bug);
  }

  @Test
  void nobodyWaitsLongerThanTheDeadline() {
    store.answer = CompletableFuture::new;

    assertThat(failure(HASTY, "a")).hasMessage("no response within PT0.02S");
    assertThat(breakers.decideAsync(Operation.ACQUIRE, HASTY, "a", 1).toCompletableFuture())
        .failsWithin(30, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(StoreException.class)
        .withMessageContaining("no response within PT0.02S");
  }

  @Test
  void closesWhenAProbeSucceeds() {
    open("a");
    store.probe = () -> FakeStore.now(true);
    await(breakers::isUp);

    store.answersWith(FakeStore.allowed(2));
    assertThat(breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1).used()).isEqualTo(2);
  }

  @Test
  void aProbeHasTheDeadlineOfTheRequests() {
    store.probe = CompletableFuture::new; // never responds
    store.failsWith(Reason.UNAVAILABLE);
    for (int i = 0; i < 5; i++) {
      failure(HASTY, "a");
    }
    await(() -> store.probes.get() >= 3); // each failed by its deadline
    assertThat(breakers.isUp()).isFalse();
  }

  @Test
  void aProbeThatThrowsIsAFailure() {
    store.probe =
        () -> {
          throw new IllegalStateException("on purpose");
        };
    open("a");
    await(() -> store.probes.get() >= 2);
    assertThat(breakers.isUp()).isFalse();
  }

  @Test
  void reconnectsAfterEveryThirdFailedProbe() {
    open("a");
    await(() -> store.probes.get() >= 3);
    await(() -> store.reconnects.get() == 1);
    await(() -> store.probes.get() >= 6);
    await(() -> store.reconnects.get() == 2);
  }

  @Test
  void everyNodeHasItsOwn() {
    open("a");
    store.answersWith(FakeStore.allowed(1));

    assertThat(breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "b", 1).allowed()).isTrue();
    assertThat(failure("a")).hasMessageStartingWith("circuit breaker is open");
    assertThat(failure("a2")).hasMessageStartingWith("circuit breaker is open");
    assertThat(breakers.isUp()).as("for some keys").isFalse();
  }

  @Test
  void everyDeadlineHasItsOwn() {
    store.answer = CompletableFuture::new;
    for (int i = 0; i < 5; i++) {
      failure(HASTY, "a");
    }
    assertThat(breakers.isUp()).isFalse();
    store.answersWith(FakeStore.allowed(1));

    assertThat(failure(HASTY, "a")).hasMessageStartingWith("circuit breaker is open");
    assertThat(breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1).allowed()).isTrue();
  }

  @Test
  void resetsAndInspectionsAreTriedInAnyCase() {
    open("a");
    store.answersWith(FakeStore.allowed(1));
    int asked = store.asked();

    breakers.decide(Operation.RESET, FakeStore.LIMITS, "a", 0);
    var unused = breakers.decideAsync(Operation.INSPECT, FakeStore.LIMITS, "a", 0);

    assertThat(store.asked()).isEqualTo(asked + 2);
    assertThat(breakers.isUp()).as("only probes close it").isFalse();
  }

  @Test
  void staysOpenForLongerEachTimeItOpensAgainSoon() {
    for (int flap = 0; flap < 4; flap++) {
      int probes = store.probes.get();
      long opened = System.nanoTime();
      open("a");
      store.probe = () -> FakeStore.now(true);
      await(breakers::isUp);
      // A timer is never early, so that this bound does not depend on the speed of the machine.
      assertThat(System.nanoTime() - opened)
          .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(50L << flap));
      assertThat(store.probes.get()).isEqualTo(probes + 1);
    }
  }

  @Test
  void anInterruptIsReportedAfterTheDecision() {
    CompletableFuture<Decision> reply = new CompletableFuture<>();
    store.answer = () -> reply;
    Thread caller = Thread.currentThread();
    Thread replies =
        new Thread(
            () -> {
              await(() -> store.asked() > 0);
              caller.interrupt();
              reply.complete(FakeStore.allowed(1));
            });
    replies.start();

    Decision decision = breakers.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1);

    assertThat(decision.allowed()).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void endsTheProbesWhenItIsClosed() {
    open("a");
    breakers.close();

    assertThat(store.isClosed).isTrue();
    int probes = store.probes.get();
    // Another breaker, opened afterwards, is probed; this one is not.
    FakeStore other = new FakeStore();
    CircuitBreakers later = new CircuitBreakers(other, "Other");
    other.failsWith(Reason.UNAVAILABLE);
    for (int i = 0; i < 5; i++) {
      assertThat(catchThrowableOfType(StoreException.class, () -> decide(later))).isNotNull();
    }
    await(later::isUp);
    assertThat(store.probes.get()).isLessThanOrEqualTo(probes + 1);
    later.close();
  }

  private static void decide(Store store) {
    store.decide(Operation.ACQUIRE, FakeStore.LIMITS, "a", 1);
  }

  private void open(String key) {
    store.failsWith(Reason.UNAVAILABLE);
    while (breakers.isUp()) {
      failure(key);
    }
  }

  private StoreException failure(String key) {
    return failure(FakeStore.LIMITS, key);
  }

  private StoreException failure(ResolvedLimits limits, String key) {
    @Nullable StoreException failure =
        catchThrowableOfType(
            StoreException.class, () -> breakers.decide(Operation.ACQUIRE, limits, key, 1));
    assertThat(failure).isNotNull();
    return failure;
  }

  private CompletableFuture<Decision> acquireAsync(String key) {
    return breakers.decideAsync(Operation.ACQUIRE, FakeStore.LIMITS, key, 1).toCompletableFuture();
  }

  /** For what other threads do. The test's timeout interrupts it. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.currentThread().isInterrupted()).as("waited in vain").isFalse();
      LockSupport.parkNanos(100_000);
    }
  }
}
