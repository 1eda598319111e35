package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests over the limit that wait instead of being denied. */
@Timeout(60)
class MaxWaitTest {
  private static final String ANN = "user:ann";

  private final ManualClock clock = new ManualClock();
  private final InMemoryStore memory = InMemoryStore.builder().clock(clock).build();

  /** The same time, for alarms of requests only: the store has alarms of its own. */
  private final ManualClock alarms = new ManualClock();

  private final Map<String, Integer> acquisitions = new ConcurrentHashMap<>();

  private final Store store =
      new StoreDecorator(memory) {
        @Override
        public Decision decide(
            Operation operation, ResolvedLimits limits, String key, long permits) {
          if (operation == Operation.ACQUIRE) {
            acquisitions.merge(limits.policy().name(), 1, Integer::sum);
          }
          return memory.decide(operation, limits, key, permits);
        }

        @Override
        public MicroClock clock() {
          return alarms;
        }
      };

  private RateLimiter limiter(String name, String... limits) {
    return store.limiter(Policy.named(name).withLimits(limits));
  }

  private static HttpLimiter with(Charge... charges) {
    HttpLimiter.Builder builder = HttpLimiter.builder();
    for (Charge charge : charges) {
      builder.rule(HttpRule.forEverything().charge(charge).thenContinue());
    }
    return builder.build();
  }

  private static Charge perUser(RateLimiter limiter) {
    return Charge.of(limiter, KeyExtractor.principal())
        .cost(request -> request.header("X-Cost") == null ? 1 : cost(request));
  }

  private static long cost(IncomingRequest request) {
    return Long.parseLong(String.valueOf(request.header("X-Cost")));
  }

  private static Charge forAll(RateLimiter limiter) {
    return Charge.of(limiter, KeyExtractor.everybody());
  }

  private static TestRequest ann() {
    return TestRequest.get("/").principal("ann");
  }

  private static TestRequest bob() {
    return TestRequest.get("/").principal("bob");
  }

  private static TestRequest costing(long permits) {
    return ann().header("X-Cost", Long.toString(permits));
  }

  private static CompletableFuture<Verdict> check(HttpLimiter limiter, RequestView request) {
    return limiter.check(request).toCompletableFuture();
  }

  private static List<CompletableFuture<Verdict>> check(HttpLimiter limiter, int count) {
    List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      verdicts.add(check(limiter, ann()));
    }
    return verdicts;
  }

  private static Verdict done(CompletableFuture<Verdict> verdict) {
    return verdict.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static boolean isAdmitted(CompletableFuture<Verdict> verdict) {
    return done(verdict).allowed();
  }

  /** Returns what was charged when a request was admitted, its own permits included. */
  private static long usedBy(CompletableFuture<Verdict> verdict) {
    return done(verdict).decisions().get(0).decision().used();
  }

  private static void eventually(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  private void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
    alarms.advance(Duration.ofMillis(millis));
  }

  /** Returns the number of requests that sleep. */
  private int asleep() {
    return alarms.waiting();
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  @Test
  void aRequestOverTheLimitWaitsUntilItFits() {
    RateLimiter api = limiter("api", "1/1s");
    HttpLimiter limiter = with(perUser(api).maxWait(millis(1_000)));
    assertThat(check(limiter, ann())).isDone();

    CompletableFuture<Verdict> second = check(limiter, ann());
    advance(999);
    assertThat(second).isNotDone();
    advance(1);

    assertThat(isAdmitted(second)).isTrue();
    assertThat(done(second).headers()).containsEntry("RateLimit", "\"api\";r=0;t=1");
    assertThat(api.peek(ANN).used()).isEqualTo(1);
    assertThat(limiter.keysWaitedFor()).isZero();
  }

  @Test
  void aRequestThatWouldWaitTooLongIsDeniedAtOnce() {
    HttpLimiter limiter = with(perUser(limiter("api", "1/1s")).maxWait(millis(999)));
    done(check(limiter, ann()));

    CompletableFuture<Verdict> second = check(limiter, ann());

    assertThat(second).isDone();
    assertThat(done(second).status()).isEqualTo(429);
    assertThat(done(second).headers())
        .containsEntry("Retry-After", "1")
        .containsEntry("RateLimit", "\"api\";r=0;t=1");
    assertThat(limiter.keysWaitedFor()).isZero();
    assertThat(asleep()).isZero();
  }

  @Test
  void requestsOfOneKeyAreAdmittedInOrderOfArrival() throws Exception {
    HttpLimiter limiter = with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000)));
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 5);
    for (int i = 0; i < 5; i++) {
      assertThat(isAdmitted(verdicts.get(i))).isTrue();
      int waiting = 4 - i;
      eventually(() -> asleep() == waiting);
      assertThat(verdicts.subList(i + 1, 5)).noneMatch(CompletableFuture::isDone);
      advance(1_000);
    }
    assertThat(limiter.keysWaitedFor()).isZero();
  }

  @Test
  void manyThatFitAtOnceAreChargedInOrderOfArrival() {
    HttpLimiter limiter =
        with(perUser(limiter("api", "50/1s fixed-window")).maxWait(millis(1_000)));
    done(check(limiter, costing(50)));
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 50);
    advance(1_001); // alarms may be late

    for (int i = 0; i < 50; i++) {
      assertThat(usedBy(verdicts.get(i))).isEqualTo(i + 1);
    }
  }

  @Test
  void aSmallerRequestDoesNotOvertakeALargerOne() {
    RateLimiter api = limiter("api", "5/10s");
    HttpLimiter limiter = with(perUser(api).maxWait(millis(10_000)));
    done(check(limiter, costing(4)));

    CompletableFuture<Verdict> large = check(limiter, costing(2));
    CompletableFuture<Verdict> small = check(limiter, costing(1));
    assertThat(api.peek(ANN).used()).as("one permit is left").isEqualTo(4);
    assertThat(small).isNotDone();
    assertThat(check(limiter, bob())).as("another key").isDone();
    advance(10_000);

    assertThat(usedBy(large)).isEqualTo(2);
    assertThat(usedBy(small)).isEqualTo(3);
  }

  @Test
  void aRequestWhoseTurnWouldComeTooLateIsDeniedAtOnce() {
    HttpLimiter limiter = with(perUser(limiter("api", "2/1s")).maxWait(millis(1_500)));
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 6);

    assertThat(verdicts.subList(2, 4)).noneMatch(CompletableFuture::isDone);
    assertThat(verdicts.subList(4, 6)).allMatch(CompletableFuture::isDone);
    assertThat(done(verdicts.get(4)).headers()).containsEntry("Retry-After", "2");
    advance(1_000);
    assertThat(isAdmitted(verdicts.get(2))).isTrue();
    assertThat(isAdmitted(verdicts.get(3))).isTrue();
  }

  @Test
  void theTurnsOfATokenBucketAreKnownExactly() throws Exception {
    HttpLimiter limiter =
        with(perUser(limiter("api", "10/1s token-bucket capacity=5")).maxWait(millis(250)));
    done(check(limiter, costing(5)));
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 3);

    assertThat(verdicts.get(1)).as("after 200 ms").isNotDone();
    assertThat(verdicts.get(2)).as("after 300 ms").isDone();
    assertThat(isAdmitted(verdicts.get(2))).isFalse();
    advance(100);
    assertThat(isAdmitted(verdicts.get(0))).isTrue();
    eventually(() -> asleep() == 1);
    advance(100);
    assertThat(isAdmitted(verdicts.get(1))).isTrue();
  }

  @Test
  void aRequestIsDeniedAsSoonAsItIsKnownThatItsTurnComesTooLate() {
    RateLimiter api = limiter("api", "2/1s");
    HttpLimiter limiter = with(perUser(api).maxWait(millis(600)));
    api.tryAcquire(ANN);
    advance(300);
    api.tryAcquire(ANN);
    advance(200);
    CompletableFuture<Verdict> first = check(limiter, ann()); // at 500 ms, fits at 1,000 ms
    CompletableFuture<Verdict> second = check(limiter, ann()); // fits at 1,300 ms
    advance(500);

    assertThat(isAdmitted(first)).isTrue();
    assertThat(isAdmitted(second)).isFalse();
    assertThat(done(second).headers()).containsEntry("Retry-After", "1");
    assertThat(api.peek(ANN).used()).isEqualTo(2);
  }

  @Test
  void thoseBehindAreDeniedWhenTheFirstHasToWaitLonger() {
    RateLimiter api = limiter("api", "2/1s");
    HttpLimiter limiter = with(perUser(api).maxWait(millis(1_950)));
    api.tryAcquire(ANN, 2);
    CompletableFuture<Verdict> first = check(limiter, ann());
    advance(60);
    CompletableFuture<Verdict> second = check(limiter, ann());
    CompletableFuture<Verdict> third = check(limiter, ann()); // its turn would be at 2,000 ms
    advance(840);
    api.charge(ANN, 2); // by somebody else
    assertThat(third).isNotDone();
    advance(100);

    assertThat(isAdmitted(third)).as("its turn would be at 2,900 ms").isFalse();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    advance(900);
    assertThat(isAdmitted(first)).isTrue();
    assertThat(isAdmitted(second)).isTrue();
  }

  @Test
  void onlySoManyRequestsWait() {
    HttpLimiter limiter = with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000), 2));
    done(check(limiter, ann()));
    List<CompletableFuture<Verdict>> waiting = check(limiter, 2);
    CompletableFuture<Verdict> refused = check(limiter, ann());

    assertThat(refused).isDone();
    assertThat(done(refused).status()).isEqualTo(429);
    assertThat(done(refused).headers()).containsEntry("Retry-After", "3");
    done(check(limiter, bob()));
    assertThat(check(limiter, bob())).as("the bound is of all keys").isDone();
    waiting.get(0).cancel(false);
    assertThat(check(limiter, ann())).isNotDone();
  }

  @Test
  void aRequestThatIsWithdrawnIsNeitherChargedNorInTheWay() {
    RateLimiter api = limiter("api", "5/1s");
    HttpLimiter limiter = with(perUser(api).maxWait(millis(1_000)));
    done(check(limiter, costing(4)));
    CompletableFuture<Verdict> large = check(limiter, costing(2));
    CompletableFuture<Verdict> small = check(limiter, ann());

    large.cancel(false);

    assertThat(isAdmitted(small)).as("fits without the other").isTrue();
    assertThat(api.peek(ANN).used()).isEqualTo(5);
    assertThat(limiter.keysWaitedFor()).isZero();
    assertThat(asleep()).isZero();
  }

  @Test
  void allThatAreWithdrawnLeaveNothingBehind() {
    HttpLimiter limiter = with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000)));
    for (CompletableFuture<Verdict> each : check(limiter, 9)) {
      each.cancel(false);
    }
    assertThat(limiter.keysWaitedFor()).isZero();
    assertThat(asleep()).isZero();
  }

  @Test
  void aRequestThatIsWithdrawnWhileItIsDecidedIsRefunded() {
    for (Duration maxWait : new Duration[] {null, millis(100)}) {
      LateStore late = new LateStore(store);
      RateLimiter api = late.limiter(Policy.of("api", Limit.parse("1/1s")));
      HttpLimiter limiter =
          with(maxWait == null ? perUser(api) : perUser(api).maxWait(millis(100)));
      CompletableFuture<Verdict> verdict = check(limiter, ann());
      verdict.cancel(false);
      assertThat(late.answer()).isTrue();
      assertThat(late.answer()).as("the refund").isTrue();

      assertThat(limiter("api", "1/1s").peek(ANN).used()).isZero();
      assertThat(limiter.keysWaitedFor()).isZero();
    }
  }

  @Test
  void nothingIsChargedWhileARequestWaitsForAnotherPolicy() {
    RateLimiter burst = limiter("burst", "10/1m");
    RateLimiter api = limiter("api", "1/1s");
    HttpLimiter limiter = with(forAll(burst), perUser(api).maxWait(millis(1_000)));
    done(check(limiter, ann()));
    CompletableFuture<Verdict> waits = check(limiter, ann());

    assertThat(waits).isNotDone();
    assertThat(burst.peek("all:").used()).isEqualTo(1);
    assertThat(isAdmitted(check(limiter, ann()))).isFalse();
    assertThat(acquisitions.get("burst")).as("none by the one behind").isEqualTo(2);
    advance(1_000);
    assertThat(isAdmitted(waits)).isTrue();
    assertThat(burst.peek("all:").used()).isEqualTo(2);
  }

  @Test
  void aRequestWaitsForAllPoliciesThatDenyIt() throws Exception {
    RateLimiter one = limiter("one", "1/1s");
    RateLimiter two = limiter("two", "1/2s");
    HttpLimiter limiter =
        with(perUser(one).maxWait(millis(3_000)), perUser(two).maxWait(millis(3_000)));
    done(check(limiter, ann()));
    CompletableFuture<Verdict> waits = check(limiter, ann());
    advance(1_000);
    assertThat(one.peek(ANN).remaining()).isEqualTo(1);
    assertThat(waits).isNotDone();
    advance(1_000);

    assertThat(isAdmitted(waits)).isTrue();
    assertThat(limiter.keysWaitedFor()).isZero();
  }

  @Test
  void aWaitIsBoundedByEveryPolicyThatDenies() {
    HttpLimiter limiter =
        with(
            perUser(limiter("one", "1/1s")).maxWait(millis(5_000)),
            perUser(limiter("two", "1/1s")).maxWait(millis(500)));
    done(check(limiter, ann()));

    CompletableFuture<Verdict> second = check(limiter, ann());
    assertThat(second).isDone();
    assertThat(isAdmitted(second)).isFalse();
  }

  @Test
  void aPolicyWithoutAWaitThatDeniesEndsItAtOnce() {
    RateLimiter strict = limiter("strict", "2/1m");
    HttpLimiter limiter =
        with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000)), forAll(strict));
    done(check(limiter, ann()));
    CompletableFuture<Verdict> waits = check(limiter, ann());
    assertThat(waits).isNotDone();
    assertThat(isAdmitted(check(limiter, bob()))).isTrue(); // the last of the strict policy

    CompletableFuture<Verdict> behind = check(limiter, ann());
    assertThat(behind).as("though it would wait behind another").isDone();
    assertThat(done(behind).headers()).containsEntry("Retry-After", "60");
    advance(1_000);
    assertThat(isAdmitted(waits)).isFalse();
    assertThat(done(waits).headers()).containsEntry("Retry-After", "59");
  }

  @Test
  void aRequestForOtherKeysPassesThoseThatWait() {
    HttpLimiter limiter =
        with(
            perUser(limiter("api", "1/1s")).maxWait(millis(10_000)),
            forAll(limiter("total", "9/1s")).maxWait(millis(10_000)));
    List<CompletableFuture<Verdict>> waiting = check(limiter, 3);
    assertThat(check(limiter, bob())).isDone();
    advance(1_000);
    assertThat(isAdmitted(waiting.get(1))).isTrue();
  }

  @Test
  void requestsThatWaitForEachOthersKeysDoNotBlockEachOther() throws Exception {
    RateLimiter one = limiter("one", "1/1s");
    RateLimiter two = limiter("two", "1/1s");
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(HttpRule.forPaths("/one").charge(forAll(one).maxWait(millis(10_000))))
            .rule(HttpRule.forPaths("/two").charge(forAll(two).maxWait(millis(10_000))))
            .rule(
                HttpRule.forPaths("/both")
                    .charge(forAll(one).maxWait(millis(10_000)))
                    .charge(forAll(two).maxWait(millis(10_000))))
            .rule(
                HttpRule.forPaths("/reverse")
                    .charge(forAll(two).maxWait(millis(10_000)))
                    .charge(forAll(one).maxWait(millis(10_000))))
            .build();
    done(check(limiter, TestRequest.get("/both")));
    List<CompletableFuture<Verdict>> waiting = new ArrayList<>();
    for (String path : List.of("/both", "/reverse", "/one", "/two", "/both", "/reverse")) {
      waiting.add(check(limiter, TestRequest.get(path)));
    }
    List<Long> turns = List.of(0L, 1L, 2L, 2L, 3L, 4L);
    for (int second = 0; second < 5; second++) {
      advance(1_000);
      for (int i = 0; i < waiting.size(); i++) {
        if (turns.get(i) == second) {
          assertThat(isAdmitted(waiting.get(i))).isTrue();
        } else if (turns.get(i) > second) {
          assertThat(waiting.get(i)).isNotDone();
        }
      }
      long turn = second;
      eventually(() -> asleep() == turns.stream().filter(t -> t > turn).count());
    }
    assertThat(limiter.keysWaitedFor()).isZero();
  }

  @Test
  void whatCanNeverBeAdmittedDoesNotWait() {
    HttpLimiter limiter = with(perUser(limiter("api", "5/1s")).maxWait(millis(10_000)));
    CompletableFuture<Verdict> first = check(limiter, costing(6));
    done(check(limiter, costing(5)));
    assertThat(check(limiter, ann())).isNotDone();
    CompletableFuture<Verdict> behind = check(limiter, costing(6));

    for (CompletableFuture<Verdict> each : List.of(first, behind)) {
      assertThat(each).isDone();
      assertThat(done(each).status()).isEqualTo(429);
      assertThat(done(each).headers()).doesNotContainKey("Retry-After");
    }
  }

  @Test
  void aDenialOfTheFailureRuleIsNotWaitedFor() {
    Limit limit = Limit.parse("5/1s");
    RateLimiter closed =
        LateStore.always(store, Decisions.denied(limit, 0, 0, 1, 1, Source.FAILURE_RULE))
            .limiter(Policy.of("login", limit));
    CompletableFuture<Verdict> verdict =
        check(with(perUser(closed).maxWait(millis(10_000))), ann());

    assertThat(verdict).isDone();
    assertThat(done(verdict).status()).isEqualTo(503);
  }

  @Test
  void aPolicyThatIsOnlyTriedOutHoldsNothing() {
    HttpLimiter limiter =
        with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000)).shadowIf(() -> true));
    for (CompletableFuture<Verdict> each : check(limiter, 3)) {
      assertThat(each).isDone();
      assertThat(isAdmitted(each)).isTrue();
    }
  }

  @Test
  void aPolicyThatIsOnlyTriedOutFromNowOnHoldsNoNewRequest() {
    boolean[] isShadow = {false};
    HttpLimiter limiter =
        with(perUser(limiter("api", "1/1s")).maxWait(millis(10_000)).shadowIf(() -> isShadow[0]));
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 2);
    isShadow[0] = true;

    assertThat(check(limiter, ann())).isDone();
    assertThat(acquisitions.get("api")).as("counted nevertheless").isEqualTo(3);
    assertThat(verdicts.get(1)).isNotDone();
  }

  @Test
  void aChargeForSomeStatusesOnlyIsRefundedAfterAWait() {
    RateLimiter api = limiter("api", "1/1s");
    HttpLimiter limiter =
        with(perUser(api).maxWait(millis(1_000)).onlyIfStatus(status -> status == 401));
    done(check(limiter, ann()));
    CompletableFuture<Verdict> waits = check(limiter, ann());
    advance(1_000);
    assertThat(done(waits).dependsOnOutcome()).isTrue();
    assertThat(api.peek(ANN).used()).isEqualTo(1);
    done(waits).settle(200);
    assertThat(api.peek(ANN).used()).isZero();
  }

  @Test
  void aFailureEndsAWaitAndLetsTheNextTry() {
    RateLimiter api = limiter("api", "1/1s");
    boolean[] isBroken = {false};
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(
                        perUser(
                                new RateLimiter(
                                    BrokenStore.when(store, () -> isBroken[0]), api.policy()))
                            .maxWait(millis(10_000))))
            .build();
    List<CompletableFuture<Verdict>> verdicts = check(limiter, 3);
    isBroken[0] = true;
    advance(1_000);

    assertThat(verdicts.get(1)).failsWithin(30, TimeUnit.SECONDS);
    assertThat(verdicts.get(2)).failsWithin(30, TimeUnit.SECONDS);
    assertThat(limiter.keysWaitedFor()).isZero();
  }

  @Test
  void boundsAreChecked() {
    Charge charge = perUser(limiter("api", "1/1s"));
    for (String wait : List.of("PT0S", "PT-1S", "PT10.001S")) {
      assertThatThrownBy(() -> charge.maxWait(Duration.parse(wait)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("maxWait must be more than PT0S and at most PT10S, was " + wait);
    }
    for (int waiting : new int[] {0, -1, 1_000_001}) {
      assertThatThrownBy(() -> charge.maxWait(millis(1), waiting))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("maxWaiting must be between 1 and 1000000, was " + waiting);
    }
  }
}
