package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.Oracle;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests are decided in the order in which they came, whoever submits more of them. */
@Timeout(120)
class BatchOrderIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Nothing leaves the windows during a test, so that the time of a decision does not matter. */
  private static final Policy POLICY =
      Policy.of(
              "api",
              Limit.slidingLog(20, Duration.ofHours(3)),
              Limit.slidingLog(30, Duration.ofHours(5)))
          .withDeadline(PATIENCE);

  private RedisServer server;
  private RedisStore store;

  @BeforeEach
  void connect() {
    server = RedisServer.start();
    store = RedisStore.builder().uri(server.uri()).denyCacheTtl(Duration.ZERO).connect();
  }

  @AfterEach
  void disconnect() {
    store.close();
    server.close();
  }

  @Test
  void aSingleRequestIsAnsweredBeforeTheThousandsThatCameLater() throws Exception {
    RateLimiter limiter = store.limiter(POLICY);
    assertThat(limiter.tryAcquire("any").source()).isEqualTo(Source.STORE);
    List<String> submitted = new ArrayList<>();
    List<String> answered = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    server.pause();
    for (int i = 0; i < 1_000; i++) {
      submit(limiter, "before " + i, submitted, answered, decisions);
    }
    Thread other = new Thread(() -> submit(limiter, "the other's", submitted, answered, decisions));
    other.start();
    other.join();
    for (int i = 0; i < 5_000; i++) {
      submit(limiter, "after " + i, submitted, answered, decisions);
    }
    server.resume();

    assertThat(decisions).allMatch(decision -> decision.join().source() == Source.STORE);
    assertThat(answered.indexOf("the other's")).isEqualTo(1_000);
    assertThat(answered).isEqualTo(submitted);
  }

  private static void submit(
      RateLimiter limiter,
      String key,
      List<String> submitted,
      List<String> answered,
      List<CompletableFuture<Decision>> decisions) {
    submitted.add(key);
    decisions.add(
        limiter
            .tryAcquireAsync(key, 1)
            .whenComplete((decision, failure) -> answered.add(key))
            .toCompletableFuture());
  }

  @Test
  void operationsOfOneThreadOnAKeyAreDecidedInTheirOrder() {
    long seed = Long.getLong("sash.seed", ThreadLocalRandom.current().nextLong());
    Random random = new Random(seed);
    RateLimiter limiter = store.limiter(POLICY);
    RateLimiter model = new Oracle(new ManualClock()).limiter(POLICY);
    assertThat(limiter.tryAcquire("any").source()).isEqualTo(Source.STORE);
    for (int round = 0; round < 20; round++) {
      List<CompletableFuture<Decision>> decisions = new ArrayList<>();
      List<Decision> expected = new ArrayList<>();
      server.pause();
      for (int i = 0; i < 300; i++) {
        String key = "key " + random.nextInt(3);
        int operation = random.nextInt(12);
        int permits = random.nextInt(8);
        decisions.add(request(limiter, operation, key, permits).toCompletableFuture());
        expected.add(request(model, operation, key, permits).toCompletableFuture().join());
      }
      server.resume();
      for (int i = 0; i < decisions.size(); i++) {
        assertThat(described(decisions.get(i).join()))
            .as("request %d of round %d, seed %d", i, round, seed)
            .isEqualTo(described(expected.get(i)));
      }
    }
    assertThat(store.fallbacks()).isZero();
  }

  private static CompletionStage<Decision> request(
      RateLimiter limiter, int operation, String key, int permits) {
    return switch (operation) {
      case 0, 1 -> limiter.refundAsync(key, permits);
      case 2 -> limiter.chargeAsync(key, permits);
      case 3 -> limiter.inspectAsync(key);
      case 4 -> limiter.resetAsync(key).thenCompose(done -> limiter.inspectAsync("never charged"));
      case 5 -> limiter.tryAcquireAsync(key, 0);
      case 6, 7, 8 -> limiter.tryAcquireAsync(key, permits);
      default -> limiter.tryAcquireAsync(key, 1);
    };
  }

  /** Everything but waits, which depend on when Redis decided, and the expiry. */
  private static List<Object> described(Decision decision) {
    return List.of(
        decision.allowed(),
        decision.neverAllowed(),
        decision.used(),
        decision.remaining(),
        decision.usages().stream().map(usage -> usage.used()).toList());
  }
}
