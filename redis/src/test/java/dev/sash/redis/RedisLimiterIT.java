package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a limiter on a healthy Redis does beyond the contract. */
class RedisLimiterIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(10, Duration.ofMinutes(1)))
          .withDeadline(Duration.ofSeconds(5));

  private static RedisServer server;
  private RedisStore store;

  @BeforeAll
  static void startServer() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    server.command("FLUSHALL");
    store = RedisStore.connect(server.uri());
  }

  @AfterEach
  void disconnect() {
    store.close();
  }

  @Test
  void sharesTheStateWithOthers() {
    try (RedisStore other = RedisStore.connect(server.uri())) {
      assertThat(store.limiter(POLICY).tryAcquire("k", 7).remaining()).isEqualTo(3);
      Decision decision = other.limiter(POLICY).tryAcquire("k", 3);

      assertThat(decision.allowed()).isTrue();
      assertThat(decision.used()).isEqualTo(10);
      assertThat(decision.source()).isEqualTo(Source.STORE);
      assertThat(store.limiter(POLICY).tryAcquire("k").allowed()).isFalse();
    }
  }

  @Test
  void answersAsynchronously() throws Exception {
    Decision decision =
        store
            .limiter(POLICY)
            .tryAcquireAsync("k", 4)
            .toCompletableFuture()
            .get(5, TimeUnit.SECONDS);

    assertThat(decision.used()).isEqualTo(4);
    assertThat(decision.source()).isEqualTo(Source.STORE);
  }

  @Test
  void keepsPrefixesApart() {
    try (RedisStore other = RedisStore.builder().uri(server.uri()).prefix("shop").connect()) {
      store.limiter(POLICY).tryAcquire("k", 10);

      assertThat(other.limiter(POLICY).peek("k").used()).isZero();
    }
  }

  @Test
  void tellsWhatIsKept() {
    RateLimiter limiter =
        store.limiter(POLICY.withLimit(Limit.fixedWindow(100, Duration.ofHours(1))));
    limiter.tryAcquire("k", 3);
    limiter.tryAcquire("k", 2);

    List<LimitUsage> states = limiter.inspect("k").usages();

    assertThat(states).extracting(LimitUsage::used).containsExactly(5L, 5L);
    assertThat(states).extracting(LimitUsage::records).containsExactly(2L, 1L);
    assertThat(states.get(0).timeToLive())
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(66));
    assertThat(limiter.inspect("nobody").usages())
        .extracting(LimitUsage::used)
        .containsExactly(0L, 0L);
  }

  @Test
  void listsKeysOfAPolicy() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("a{b}:c", 1);
    limiter.tryAcquire("line\nbreak", 1);
    store.limiter(Policy.of("api2", Limit.parse("5/s"))).tryAcquire("other");

    assertThat(store.keys("api", 100)).containsExactlyInAnyOrder("a{b}:c", "line\nbreak");
    assertThat(store.keys("api", 1)).hasSize(1);
    assertThat(store.keys("none", 100)).isEmpty();
  }

  @Test
  void forgetsAKey() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 10);
    limiter.reset("k");

    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void recoversFromAFlushedScriptCache() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 1);
    server.command("SCRIPT", "FLUSH");

    Decision decision = limiter.tryAcquire("k", 1);

    assertThat(decision.source()).isEqualTo(Source.STORE);
    assertThat(decision.used()).isEqualTo(2);
  }

  @Test
  void waitsForPermits() throws Exception {
    RateLimiter limiter =
        store.limiter(
            Policy.of("api", Limit.slidingLog(2, Duration.ofMillis(200)))
                .withDeadline(Duration.ofSeconds(5)));
    limiter.tryAcquire("k", 2);

    assertThat(limiter.acquire("k", 2, Duration.ofSeconds(10)).allowed()).isTrue();
    assertThat(
            limiter
                .acquireAsync("k", 2, Duration.ofSeconds(10))
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .allowed())
        .isTrue();
    assertThat(limiter.acquire("k", 2, Duration.ZERO).allowed()).isFalse();
  }

  @Test
  void limitsByTier() {
    List<Limit> pro = List.of(Limit.slidingLog(20, Duration.ofMinutes(1)));
    RateLimiter limiter =
        store.limiter(POLICY.withTiers(key -> key.startsWith("pro") ? pro : List.of()));

    assertThat(limiter.tryAcquire("pro:k", 20).allowed()).isTrue();
    assertThat(limiter.tryAcquire("k", 11).neverAllowed()).isTrue();
    assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
  }

  @Test
  void limitsThatComeWithRequestsShareTheKey() {
    RateLimiter limiter = store.limiter(POLICY);
    RateLimiter more = limiter.withLimits(List.of(Limit.parse("15/1m")));
    RateLimiter hourly = limiter.withLimits(List.of(Limit.parse("2/1h")));
    limiter.tryAcquire("k", 10);

    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(more.tryAcquire("k", 4).used()).as("the denial is not its own").isEqualTo(14);
    assertThat(hourly.tryAcquire("k", 2).used()).isEqualTo(2);
    assertThat(limiter.peek("k").used()).as("kept beside the other").isEqualTo(14);
    assertThat(more.inspect("k").usages()).hasSize(1);
    assertThat(more.policy().limits()).containsExactly(Limit.parse("15/1m"));
    hourly.reset("k");
    assertThat(limiter.peek("k").used()).as("another window's").isEqualTo(14);
  }

  @Test
  void keepsWhatIsChargedWhenLimitsChange() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 8);

    assertThat(changed("5/1m").tryAcquire("k").used()).isEqualTo(8);
    assertThat(changed("9/1m").tryAcquire("k").allowed()).isTrue();
    assertThat(changed("9/2m").tryAcquire("k").used()).as("another window").isEqualTo(1);
  }

  private RateLimiter changed(String limit) {
    return store.limiter(POLICY.withLimits(limit));
  }

  @Test
  void refusesBadInputAndRecordsNothing() {
    RateLimiter limiter = store.limiter(POLICY);

    assertThatThrownBy(() -> limiter.tryAcquire("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> limiter.tryAcquireAsync("k", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("permits must be between 0 and 1000000000, was -1");
    assertThatThrownBy(() -> limiter.refund("k".repeat(1025), 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> limiter.reset("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> limiter.inspect("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.limiter(Policy.named("none")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have a limit");
    assertThat(store.keys("api", 10)).isEmpty();
  }

  @Test
  void anInterruptedCallerGetsItsDecisionAndStaysInterrupted() {
    RateLimiter limiter = store.limiter(POLICY);
    Thread.currentThread().interrupt();

    assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.STORE);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void refusesSettingsOutOfBounds() {
    RedisStore.Builder builder = RedisStore.builder();

    assertThatThrownBy(() -> builder.nodes(0)).hasMessageContaining("nodes must be between 1 and");
    assertThatThrownBy(() -> builder.denyCacheTtl(Duration.ofMinutes(2)))
        .hasMessageContaining("at most PT1M, was PT2M");
    assertThatThrownBy(() -> builder.connectTimeout(Duration.ZERO))
        .hasMessageContaining("more than 0 and at most PT1M, was PT0S");
    assertThatThrownBy(() -> builder.uri(server.uri()).prefix("a{b").connect())
        .hasMessageContaining("'a{b'");
  }

  @Test
  void refusesUrisThatItDoesNotKnow() {
    assertThatThrownBy(() -> RedisStore.connect("http://me:secret@host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redis-sentinel://")
        .hasMessageContaining("http://...")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RedisStore.connect("redis://a", "redis-cluster://b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there are 1 among 2");
    assertThatThrownBy(() -> RedisStore.builder().connect())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must have a uri");
  }

  @Test
  void requestsGoOutTogetherUnlessBatchingIsOff() {
    try (RedisServer server = RedisServer.start()) {
      assertThat(callsOfAHundredRequests(server, false)).isEqualTo(100);
      assertThat(callsOfAHundredRequests(server, true)).isBetween(2L, 20L);
    }
  }

  /** Asks while Redis does not answer, so that nobody is answered before all have asked. */
  private static long callsOfAHundredRequests(RedisServer server, boolean batching) {
    try (RedisStore store = RedisStore.builder().uri(server.uri()).batching(batching).connect()) {
      RateLimiter limiter =
          store.limiter(
              Policy.of("together", Limit.parse("1000/1h")).withDeadline(Duration.ofMinutes(1)));
      server.command("CONFIG", "RESETSTAT");
      server.pause();
      List<CompletableFuture<Decision>> decisions =
          IntStream.range(0, 100)
              .mapToObj(i -> limiter.tryAcquireAsync("k" + i, 1).toCompletableFuture())
              .toList();
      server.resume();
      decisions.forEach(decision -> assertThat(decision.join().source()).isEqualTo(Source.STORE));
      String calls =
          String.valueOf(server.command("INFO", "commandstats"))
              .lines()
              .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
              .findFirst()
              .orElseThrow();
      return Long.parseLong(calls.replaceAll("^[^=]*=([0-9]+),.*", "$1"));
    }
  }
}
