package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The circuit breaker opens for a Redis that cannot decide in time, stays open, and for no other.
 */
@Timeout(120)
@ExtendWith(ConnectedBefore.class)
class CircuitBreakerIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("1000/1h")).withDeadline(Duration.ofMillis(50));

  /** Long enough for many probes. */
  private static final int ROUNDS = 300;

  @Test
  void staysOpenForAServerThatForbidsScripts() {
    try (RedisServer server =
            RedisServer.start(
                "user default off", "user limiter on >secret ~sash:* +@all -evalsha -eval");
        RedisStore store =
            RedisStore.connect("redis://limiter:secret@" + server.host() + ":" + server.port())) {
      RateLimiter limiter = store.limiter(POLICY);
      awaitOpen(store, limiter);
      for (int i = 0; i < ROUNDS; i++) {
        assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.LOCAL);
        assertThat(store.isUp()).as("round %d", i).isFalse();
        Callers.pause(Duration.ofMillis(10));
      }
    }
  }

  @Test
  void staysOpenWhileRedisIsSlowerThanTheDeadlineAndClosesWhenItIsNot() {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      proxy.delay(Duration.ofMillis(200));
      awaitOpen(store, limiter);
      for (int i = 0; i < ROUNDS; i++) {
        assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.LOCAL);
        assertThat(store.isUp()).as("round %d", i).isFalse();
        Callers.pause(Duration.ofMillis(10));
      }
      proxy.pass();
      while (limiter.tryAcquire("k").source() != Source.STORE) {
        Callers.pause(Duration.ofMillis(10)); // until the timeout
      }
      assertThat(store.isUp()).isTrue();
    }
  }

  @Test
  void aPolicyWithMoreTimeIsNotAffectedByOneWithLess() {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      RateLimiter hasty = store.limiter(POLICY);
      RateLimiter patient =
          store.limiter(
              Policy.of("patient", Limit.parse("1000/1h")).withDeadline(Duration.ofSeconds(20)));
      proxy.delay(Duration.ofMillis(200));
      awaitOpen(store, hasty);

      assertThat(patient.tryAcquire("k").source()).isEqualTo(Source.STORE);
    }
  }

  @Test
  void tooManyCallsInFlightAreNotAFailureOfRedis() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.builder().uri(server.uri()).connect()) {
      RateLimiter limiter =
          store.limiter(
              Policy.of("flood", Limit.parse("1000000/1h")).withDeadline(Duration.ofMinutes(1)));
      assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.STORE);
      server.pause();
      List<CompletableFuture<Decision>> decisions = new ArrayList<>();
      for (int i = 0; i < Batcher.MAX_WAITING + 1_000; i++) {
        decisions.add(limiter.tryAcquireAsync("k" + i % 100, 1).toCompletableFuture());
      }
      List<CompletableFuture<Decision>> rejected =
          decisions.stream().filter(CompletableFuture::isDone).toList();
      assertThat(rejected)
          .as("all but what waits and what two calls have taken along")
          .hasSizeBetween(1_000 - 2 * Batch.MAX_WORK, 1_000)
          .isNotEmpty()
          .allMatch(decision -> decision.join().source() == Source.LOCAL);
      assertThat(store.isUp()).isTrue();
      server.resume();

      assertThat(decisions.stream().map(CompletableFuture::join))
          .filteredOn(decision -> decision.source() == Source.STORE)
          .hasSize(decisions.size() - rejected.size());
      assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.STORE);
    }
  }

  private static void awaitOpen(RedisStore store, RateLimiter limiter) {
    while (store.isUp()) {
      limiter.tryAcquire("k"); // until the timeout
    }
  }
}
