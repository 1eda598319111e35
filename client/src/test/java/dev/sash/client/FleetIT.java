package dev.sash.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.FailureRule;
import dev.sash.Policy;
import dev.sash.client.OutgoingLimitException.Reason;
import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two limiters with connections of their own, as in two processes. */
@Timeout(120)
class FleetIT {
  private static final URI HOST = URI.create("https://api.example.com/orders");
  private static final URI OTHER = URI.create("https://other.example.com/");

  private RedisServer redis;
  private RedisStore one;
  private RedisStore other;

  @BeforeEach
  void connect() {
    redis = RedisServer.start();
    one = RedisStore.connect(redis.uri());
    other = RedisStore.connect(redis.uri());
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    redis.close();
  }

  @Test
  void aLimitIsShared() throws Exception {
    OutgoingLimiter here = limiter(one, FailureRule.LOCAL, Duration.ZERO);
    OutgoingLimiter there = limiter(other, FailureRule.LOCAL, Duration.ZERO);
    int admitted = 0;
    for (int i = 0; i < 4; i++) {
      admitted += isAdmitted(here, HOST) ? 1 : 0;
      admitted += isAdmitted(there, HOST) ? 1 : 0;
    }

    assertThat(admitted).isEqualTo(3);
    assertThat(isAdmitted(there, OTHER)).isTrue();
  }

  @Test
  void aPauseIsSharedAndOthersCanWaitForItsEnd() throws Exception {
    OutgoingLimiter here = limiter(one, FailureRule.LOCAL, Duration.ofSeconds(5));
    OutgoingLimiter there = limiter(other, FailureRule.LOCAL, Duration.ofSeconds(5));
    long start = System.nanoTime();
    learn(here, 429, "1");

    there.acquire(HOST).toCompletableFuture().get(30, SECONDS);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(4));
    assertThat(isAdmitted(there, OTHER)).isTrue();
  }

  @Test
  void pausesFromManyResponsesInManyProcessesAreAsLongAsTheLongest() throws Exception {
    OutgoingLimiter here = limiter(one, FailureRule.LOCAL, Duration.ZERO);
    OutgoingLimiter there = limiter(other, FailureRule.LOCAL, Duration.ZERO);
    List<CompletableFuture<Void>> shared = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      OutgoingLimiter limiter = i % 2 == 0 ? here : there;
      String seconds = i == 100 ? "60" : "30";
      shared.add(limiter.learn(HOST, 503, name -> List.of(seconds)).toCompletableFuture());
    }
    CompletableFuture.allOf(shared.toArray(CompletableFuture[]::new)).get(30, SECONDS);

    try (RedisStore third = RedisStore.connect(redis.uri())) {
      OutgoingLimitException e = failure(limiter(third, FailureRule.LOCAL, Duration.ZERO));
      assertThat(e.reason()).isEqualTo(Reason.PAUSE);
      assertThat(e.retryAfter()).isBetween(Duration.ofSeconds(50), Duration.ofMillis(60_001));
    }
  }

  @Test
  void thePauseOfADayIsShared() throws Exception {
    OutgoingLimiter here =
        OutgoingLimiter.builder(one).maxPause(Duration.ofDays(11)).maxWait(Duration.ZERO).build();
    learn(here, 429, "99999999999999999999");

    OutgoingLimitException e =
        failure(OutgoingLimiter.builder(other).maxWait(Duration.ZERO).build());
    assertThat(e.retryAfter())
        .isBetween(Duration.ofDays(11).minusMinutes(1), Duration.ofDays(11).plusMillis(1));
  }

  @Test
  void callsOfTwoProcessesWaitTogetherAndThoseThatAreCancelledSpendNothing() throws Exception {
    Policy policy = Policy.named("partners").withLimits("20/200ms");
    OutgoingLimiter.Builder builder = OutgoingLimiter.builder(one).policy(policy);
    OutgoingLimiter here = builder.maxWait(Duration.ofSeconds(30)).build();
    OutgoingLimiter there =
        OutgoingLimiter.builder(other).policy(policy).maxWait(Duration.ofSeconds(30)).build();
    long start = System.nanoTime();
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < 240; i++) {
      calls.add((i % 2 == 0 ? here : there).acquire(HOST).toCompletableFuture());
    }
    long cancelled = 0;
    for (int i = 100; i < 220; i++) {
      cancelled += calls.get(i).cancel(false) ? 1 : 0;
    }
    for (CompletableFuture<Void> call : calls) {
      if (!call.isCancelled()) {
        call.get(30, SECONDS);
      }
    }

    long windows = (240 - cancelled - 1) / 20; // the first 20 do not wait
    assertThat(cancelled).isGreaterThan(50);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(200 * windows - 10));
    // The last 20 permits at most are charged, and none for a call that was cancelled.
    Thread.sleep(250);
    assertThat(one.limiter(policy).peek("https://api.example.com").used()).isZero();
  }

  /** Without Redis, each process knows what it has learned itself. */
  @ParameterizedTest
  @EnumSource(FailureRule.class)
  void whileRedisIsAwayTheFailureRuleDecidesAndKnownPausesHold(FailureRule rule) throws Exception {
    OutgoingLimiter here = limiter(one, rule, Duration.ZERO);
    OutgoingLimiter there = limiter(other, rule, Duration.ZERO);
    learn(here, 429, "30");
    assertThat(failure(there).reason()).isEqualTo(Reason.PAUSE);
    redis.stop();

    assertThat(failure(here).reason()).isEqualTo(Reason.PAUSE);
    assertThat(failure(there).reason()).isEqualTo(Reason.PAUSE);
    here.learn(OTHER, 429, name -> List.of("20")).toCompletableFuture().get(30, SECONDS);
    assertThat(isAdmitted(here, OTHER)).isFalse();
    // A process that has learned of no pause only has the failure rule.
    assertThat(isAdmitted(there, OTHER)).isEqualTo(rule != FailureRule.CLOSED);
    for (int i = 0; i < 5; i++) {
      boolean isWithinLimit = rule == FailureRule.LOCAL ? i < 2 : rule == FailureRule.OPEN;
      assertThat(isAdmitted(there, OTHER)).as("call %s", i).isEqualTo(isWithinLimit);
    }
  }

  @Test
  void aWaitThatRedisInterruptsEndsByTheFailureRule() throws Exception {
    OutgoingLimiter here = limiter(one, FailureRule.OPEN, Duration.ofSeconds(20));
    learn(here, 429, "1");
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(here.acquire(HOST).toCompletableFuture());
    }
    redis.stop();
    for (CompletableFuture<Void> call : calls) {
      call.get(30, SECONDS);
    }
  }

  private static OutgoingLimiter limiter(RedisStore store, FailureRule rule, Duration maxWait) {
    return OutgoingLimiter.builder(store)
        .policy(Policy.named("partners").withLimits("3/1h").onFailure(rule))
        .maxWait(maxWait)
        .build();
  }

  private static void learn(OutgoingLimiter limiter, int status, String retryAfter)
      throws Exception {
    limiter
        .learn(HOST, status, name -> name.equals("Retry-After") ? List.of(retryAfter) : List.of())
        .toCompletableFuture()
        .get(30, SECONDS);
  }

  private static boolean isAdmitted(OutgoingLimiter limiter, URI host) throws Exception {
    try {
      limiter.acquire(host).toCompletableFuture().get(30, SECONDS);
      return true;
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(OutgoingLimitException.class);
      return false;
    }
  }

  private static OutgoingLimitException failure(OutgoingLimiter limiter) throws Exception {
    try {
      limiter.acquire(HOST).toCompletableFuture().get(30, SECONDS);
      throw new AssertionError("admitted");
    } catch (ExecutionException e) {
      return (OutgoingLimitException) e.getCause();
    }
  }
}
