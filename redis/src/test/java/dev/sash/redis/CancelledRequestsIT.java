package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that do not want their decisions any more, and executors that do not deliver them. */
@Timeout(120)
class CancelledRequestsIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("1000000/1h")).withDeadline(Duration.ofMinutes(1));

  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aCancelledRequestAffectsNoOther() {
    try (RedisStore store = RedisStore.connect(server.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      assertThat(limiter.tryAcquire("any").source()).isEqualTo(Source.STORE);
      server.pause();
      List<CompletableFuture<Decision>> decisions = request(limiter, 2_000);
      for (int i = 0; i < decisions.size(); i += 2) { // the first is sent, the others wait
        assertThat(decisions.get(i).cancel(true)).isTrue();
      }
      server.resume();

      for (int i = 1; i < decisions.size(); i += 2) {
        assertThat(decisions.get(i).join().source()).isEqualTo(Source.STORE);
      }
      for (int key = 0; key < 100; key++) {
        assertThat(limiter.inspect("key " + key).used()).isLessThanOrEqualTo(20);
      }
      assertThat(store.fallbacks()).isZero();
    }
  }

  @Test
  void cancelledRequestsLeaveTheQueue() {
    try (RedisStore store = RedisStore.connect(server.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      assertThat(limiter.tryAcquire("any").source()).isEqualTo(Source.STORE);
      for (int round = 0; round < 3; round++) {
        server.pause();
        List<CompletableFuture<Decision>> decisions = request(limiter, Batcher.MAX_WAITING);
        assertThat(decisions).as("rejected in round %d", round).noneMatch(d -> d.isDone());
        decisions.forEach(decision -> decision.cancel(false));
        server.resume();
        // It is the last in the queue.
        assertThat(limiter.tryAcquire("last").source()).isEqualTo(Source.STORE);
      }
      assertThat(store.fallbacks()).isZero();
    }
  }

  @Test
  void anExecutorThatRejectsDoesNotKeepDecisionsFromCallers() {
    assertDecidedWith(
        task -> {
          throw new RejectedExecutionException("full");
        });
  }

  @Test
  void anExecutorThatFailsDoesNotKeepDecisionsFromCallers() {
    assertDecidedWith(
        task -> {
          throw new IllegalStateException("broken");
        });
  }

  private void assertDecidedWith(Executor executor) {
    try (RedisStore store =
        RedisStore.builder().uri(server.uri()).callbackExecutor(executor).connect()) {
      RateLimiter limiter = store.limiter(POLICY);
      assertThat(limiter.tryAcquire("any").source()).isEqualTo(Source.STORE);
      assertThat(request(limiter, 1_000))
          .allMatch(decision -> decision.join().source() == Source.STORE);
    }
  }

  private static List<CompletableFuture<Decision>> request(RateLimiter limiter, int requests) {
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      decisions.add(limiter.tryAcquireAsync("key " + i % 100, 1).toCompletableFuture());
    }
    return decisions;
  }
}
