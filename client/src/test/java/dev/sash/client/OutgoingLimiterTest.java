package dev.sash.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.client.OutgoingLimitException.Reason;
import dev.sash.testkit.ManualClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class OutgoingLimiterTest {
  private static final URI HOST = URI.create("https://api.example.com/orders");
  private static final URI OTHER = URI.create("https://other.example.com/");

  private final ManualClock clock = new ManualClock();
  private final WaitCountingStore store = new WaitCountingStore(clock);

  @Test
  void callsWithinTheLimitAreMadeAtOnce() {
    OutgoingLimiter limiter = limiter("2/1s").build();

    assertThat(calls(limiter, HOST, 2)).allMatch(CompletableFuture::isDone);
    assertThat(calls(limiter, OTHER, 2)).allMatch(CompletableFuture::isDone);
  }

  @Test
  void furtherOnesWaitNoLongerThanTheyMust() throws Exception {
    OutgoingLimiter limiter = limiter("2/1s").maxWait(Duration.ofSeconds(1)).build();
    calls(limiter, HOST, 2);
    List<CompletableFuture<Void>> late = calls(limiter, HOST, 2);

    clock.advanceMicros(999_999);
    assertThat(late).noneMatch(CompletableFuture::isDone);
    clock.advanceMicros(1);
    for (CompletableFuture<Void> call : late) {
      call.get(30, SECONDS);
    }
  }

  @Test
  void whatWouldWaitTooLongFailsAtOnce() {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofMillis(500)).build();
    calls(limiter, HOST, 1);

    assertThatThrownBy(() -> limiter.acquireBlocking(HOST))
        .isInstanceOfSatisfying(
            OutgoingLimitException.class,
            e -> {
              assertThat(e.origin()).isEqualTo("https://api.example.com");
              assertThat(e.reason()).isEqualTo(Reason.LIMIT);
              assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            })
        .hasMessage(
            "call to https://api.example.com was not made: the next permit is available in PT1S,"
                + " and the longest wait is PT0.5S");
  }

  @Test
  void noMoreWaitThanMay() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofHours(1)).maxWaiting(2).build();
    calls(limiter, HOST, 1);
    List<CompletableFuture<Void>> waiting = calls(limiter, HOST, 2);

    assertThat(calls(limiter, HOST, 1).get(0))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("at most 2 calls may wait, and as many do");

    waiting.get(0).cancel(false);
    assertThat(calls(limiter, HOST, 1)).noneMatch(CompletableFuture::isDone);
  }

  @Test
  void waitingCallsAreAdmittedInOrderOfArrivalAndLaterOnesBehindThem() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofHours(1)).build();
    calls(limiter, HOST, 1);
    List<CompletableFuture<Void>> waiting = new ArrayList<>(calls(limiter, HOST, 5));
    for (int i = 0; i < 10; i++) {
      clock.advance(Duration.ofSeconds(1));
      waiting.add(limiter.acquire(HOST).toCompletableFuture());
      waiting.get(i).get(30, SECONDS);
      awaitWaiting(1);
      assertThat(waiting.subList(i + 1, waiting.size())).noneMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void ofManyThatWaitForAPermitOneMakesTheAttempts() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    RateLimiter ours =
        store
            .limiter(Policy.of("ours", Limit.parse("1/1s")))
            .withListener((policy, key, permits, decision) -> attempts.incrementAndGet());
    OutgoingLimiter limiter =
        OutgoingLimiter.builder(store).limiter(ours).maxWait(Duration.ofHours(1)).build();
    calls(limiter, HOST, 1);
    List<CompletableFuture<Void>> waiting = calls(limiter, HOST, 500);
    assertThat(attempts).hasValue(2);
    clock.advance(Duration.ofSeconds(1));
    waiting.get(0).get(30, SECONDS);
    awaitWaiting(1);

    assertThat(attempts).hasValue(4); // one was admitted, and the next one was not
  }

  @Test
  void callsThatCannotWaitForTheNextAttemptFailAsSoonAsThatIsKnown() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofMillis(1_500)).build();
    calls(limiter, HOST, 1);
    List<CompletableFuture<Void>> late = calls(limiter, HOST, 3);
    assertThat(late).noneMatch(CompletableFuture::isDone);
    clock.advance(Duration.ofSeconds(1));

    late.get(0).get(30, SECONDS);
    for (CompletableFuture<Void> tooLate : late.subList(1, 3)) {
      assertThat(tooLate)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableOfType(ExecutionException.class)
          .withMessageContaining("available in PT1S, and the longest wait is PT1.5S");
    }
    assertThat(store.waiting()).isZero();
    assertThat(used("1/1s")).isEqualTo(1);
  }

  @Test
  void aHostIsNotCalledBeforeTheTimeThatItNames() throws Exception {
    OutgoingLimiter limiter =
        OutgoingLimiter.builder(store).maxWait(Duration.ofSeconds(30)).build();
    learn(limiter, HOST, 429, "30");
    CompletableFuture<Void> call = calls(limiter, HOST, 1).get(0);

    assertThat(calls(limiter, OTHER, 1)).allMatch(CompletableFuture::isDone);
    clock.advanceMicros(29_999_999);
    assertThat(call).isNotDone();
    clock.advanceMicros(1);
    call.get(30, SECONDS);
  }

  @Test
  void callsThatCannotWaitForTheEndOfAPauseFailAtOnceAndSpendNothing() {
    OutgoingLimiter limiter = limiter("100/1s").build();
    learn(limiter, HOST, 429, "30");

    assertThat(calls(limiter, HOST, 1).get(0))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessage(
            OutgoingLimitException.class.getName()
                + ": call to https://api.example.com was not made: it may be called again in PT30S,"
                + " and the longest wait is PT1S");
    assertThat(used("100/1s")).isZero();
  }

  @Test
  void pausesThatBeginAtTheSameTimeDoNotAddUp() throws Exception {
    OutgoingLimiter limiter =
        OutgoingLimiter.builder(store).maxWait(Duration.ofSeconds(31)).build();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < 20; j++) {
                  learn(limiter, HOST, 429, "30");
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }

    CompletableFuture<Void> call = calls(limiter, HOST, 1).get(0);
    assertThat(call).isNotDone();
    clock.advance(Duration.ofSeconds(30));
    call.get(30, SECONDS);
  }

  @Test
  void aShorterPauseDoesNotShortenALongerOne() {
    OutgoingLimiter limiter = OutgoingLimiter.builder(store).build();
    learn(limiter, HOST, 429, "30");
    learn(limiter, HOST, 429, "5");
    clock.advance(Duration.ofSeconds(20));

    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aLongerPauseHoldsCallsThatWaitForAShorterOne() throws Exception {
    OutgoingLimiter limiter = OutgoingLimiter.builder(store).maxWait(Duration.ofMinutes(1)).build();
    learn(limiter, HOST, 429, "5");
    CompletableFuture<Void> call = calls(limiter, HOST, 1).get(0);
    learn(limiter, HOST, 429, "20");

    clock.advance(Duration.ofSeconds(6));
    awaitWaiting(1); // again
    assertThat(call).isNotDone();
    clock.advance(Duration.ofSeconds(14));
    call.get(30, SECONDS);
  }

  @Test
  void aPauseThatBeginsWhileACallWaitsForAPermitHoldsIt() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofMinutes(1)).build();
    calls(limiter, HOST, 1);
    CompletableFuture<Void> call = calls(limiter, HOST, 1).get(0);
    learn(limiter, HOST, 429, "10");

    clock.advance(Duration.ofSeconds(2));
    awaitWaiting(1);
    assertThat(call).isNotDone();
    clock.advance(Duration.ofSeconds(8));
    call.get(30, SECONDS);
    // The permit was spent when the call was made, not before.
    assertThat(used("1/1s")).isEqualTo(1);
  }

  @Test
  void noPauseIsLongerThanTheBound() {
    OutgoingLimiter limiter =
        OutgoingLimiter.builder(store).maxPause(Duration.ofMinutes(5)).build();
    learn(limiter, HOST, 503, "999999999999999");
    clock.advance(Duration.ofMinutes(5));

    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isDone);
  }

  @ParameterizedTest
  @CsvSource({"429, 0", "429, 'Wed, 18 Nov 2020 11:00:00 GMT'", "200, 30", "503, soon"})
  void someResponsesBeginNoPause(int status, String retryAfter) {
    OutgoingLimiter limiter = OutgoingLimiter.builder(store).maxWait(Duration.ZERO).build();
    learn(limiter, HOST, status, retryAfter);

    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isDone);
    assertThat(calls(limiter, HOST, 1)).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aResponseWith429AloneBeginsThePauseThatIsTheDefault() {
    OutgoingLimiter limiter =
        OutgoingLimiter.builder(store)
            .maxWait(Duration.ZERO)
            .defaultPause(Duration.ofSeconds(3))
            .build();
    limiter.learn(HOST, 429, name -> null).toCompletableFuture().join();
    clock.advanceMicros(2_999_999);
    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isCompletedExceptionally);
    clock.advanceMicros(1);
    assertThat(calls(limiter, HOST, 1)).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aResponseWith200MayBeginAPauseToo() {
    OutgoingLimiter limiter = OutgoingLimiter.builder(store).maxWait(Duration.ZERO).build();
    Map<String, List<String>> fields = Map.of("RateLimit", List.of("\"x\";r=0;t=30"));
    limiter.learn(HOST, 200, fields::get).toCompletableFuture().join();
    clock.advanceMicros(29_999_999);
    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isCompletedExceptionally);
    clock.advanceMicros(1);
    assertThat(calls(limiter, HOST, 1)).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aCancelledCallSpendsNothing() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofMinutes(1)).build();
    calls(limiter, HOST, 1);
    CompletableFuture<Void> call = calls(limiter, HOST, 1).get(0);
    call.cancel(false);
    assertThat(store.waiting()).isZero();
    clock.advance(Duration.ofSeconds(1));

    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isDone);
  }

  @Test
  void anInterruptedCallSpendsNothing() throws Exception {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ofMinutes(1)).build();
    calls(limiter, HOST, 1);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                limiter.acquireBlocking(HOST);
                thrown.complete(new AssertionError("not interrupted"));
              } catch (OutgoingLimitException | InterruptedException e) {
                thrown.complete(e);
              }
            });
    thread.start();
    awaitWaiting(1);
    thread.interrupt();

    assertThat(thrown.get(30, SECONDS)).isInstanceOf(InterruptedException.class);
    awaitWaiting(0);
    clock.advance(Duration.ofSeconds(1));
    assertThat(calls(limiter, HOST, 1)).allMatch(CompletableFuture::isDone);
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.example.com/x,           https://API.example.com:443/y",
    "https://api.example.com/,            https://api.example.com.",
    "http://h:080/,                       http://h/",
    "http://h:/,                          http://h/",
    "https://user:p@api.example.com/,     https://api.example.com/",
    "http://order_service:8080/,          http://ORDER_service:8080/x?y",
    "http://[::1]/,                       http://[::1]:80/",
  })
  void sameHost(URI one, URI other) {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ZERO).build();
    calls(limiter, one, 1);

    assertThat(calls(limiter, other, 1)).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.example.com/, http://api.example.com/",
    "http://h:8080/,           http://h:8081/",
    "http://h:8443/,           https://h:8443/",
    "http://[::1]:80/,         http://[::2]:80/",
  })
  void otherHosts(URI one, URI other) {
    OutgoingLimiter limiter = limiter("1/1s").maxWait(Duration.ZERO).build();
    calls(limiter, one, 1);

    assertThat(calls(limiter, other, 1)).noneMatch(CompletableFuture::isCompletedExceptionally);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/orders", "mailto:ann@example.com", "//host/x", "http://:80/"})
  void aTargetMustHaveAHost(URI target) {
    OutgoingLimiter limiter = limiter("1/1s").build();

    assertThatThrownBy(() -> limiter.acquire(target))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("target must have a ");
  }

  @Test
  void aTargetsHostMustNotBeTooLongAndIsNotInTheMessage() {
    OutgoingLimiter limiter = limiter("1/1s").build();

    assertThatThrownBy(() -> limiter.acquire(URI.create("https://u:secret@" + "a".repeat(293))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("target's scheme, host and port must have at most 300 characters, had 301");
    assertThat(limiter.acquire(URI.create("https://u:secret@" + "a".repeat(292)))).isCompleted();
  }

  @Test
  void boundsAreChecked() {
    OutgoingLimiter.Builder builder = OutgoingLimiter.builder(store);

    assertThatThrownBy(() -> builder.maxWait(Duration.ofMillis(-1)))
        .hasMessage("maxWait must be between PT0S and PT264H, was PT-0.001S");
    assertThatThrownBy(() -> builder.maxPause(Duration.ZERO))
        .hasMessage("maxPause must be between PT0.001S and PT264H, was PT0S");
    assertThatThrownBy(() -> builder.defaultPause(Duration.ofDays(12)))
        .hasMessage("defaultPause must be between PT0S and PT264H, was PT288H");
    assertThatThrownBy(() -> builder.maxWaiting(-1))
        .hasMessage("maxWaiting must be between 0 and 1000000, was -1");
  }

  private OutgoingLimiter.Builder limiter(String limit) {
    return OutgoingLimiter.builder(store).policy(Policy.of("ours", Limit.parse(limit)));
  }

  private static List<CompletableFuture<Void>> calls(OutgoingLimiter limiter, URI target, int n) {
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      calls.add(limiter.acquire(target).toCompletableFuture());
    }
    return calls;
  }

  private long used(String limit) {
    return store
        .limiter(Policy.of("ours", Limit.parse(limit)))
        .peek("https://api.example.com")
        .used();
  }

  private static void learn(OutgoingLimiter limiter, URI target, int status, String retryAfter) {
    Map<String, List<String>> fields = Map.of("Retry-After", List.of(retryAfter));
    limiter.learn(target, status, fields::get).toCompletableFuture().join();
  }

  /** Others wait on threads of their own. */
  private void awaitWaiting(int n) throws InterruptedException {
    while (store.waiting() != n) {
      Thread.sleep(1);
    }
  }
}
