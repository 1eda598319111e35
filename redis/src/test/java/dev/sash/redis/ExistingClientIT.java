package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store on a client or connection that the application has already. */
@Timeout(60)
class ExistingClientIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("5/1h")).withDeadline(Duration.ofSeconds(10));

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void decidesOnAConnectionOfTheClientAndLeavesTheClientOpen() {
    try (RedisClient client = RedisClient.create(server.uri())) {
      client.setOptions(RedisStore.clientOptions().build());
      try (RedisStore store = RedisStore.using(client)) {
        assertThat(store.limiter(POLICY).tryAcquire("client").source()).isEqualTo(Source.STORE);
      }
      try (StatefulRedisConnection<String, String> other = client.connect()) {
        assertThat(other.sync().ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  void decidesOnAGivenConnectionAndLeavesItOpen() {
    try (RedisClient client = RedisClient.create(server.uri())) {
      client.setOptions(RedisStore.clientOptions().build());
      try (StatefulRedisConnection<String, byte[]> connection =
          client.connect(RedisStore.codec())) {
        try (RedisStore store = RedisStore.builder().connection(connection).connect()) {
          assertThat(store.limiter(POLICY).tryAcquire("given").source()).isEqualTo(Source.STORE);
        }
        assertThat(connection.sync().ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  void decidesOnAClusterClient() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisClusterClient client = RedisClusterClient.create(cluster.uris().get(0))) {
      client.setOptions(RedisStore.clusterClientOptions().build());
      try (RedisStore store = RedisStore.builder().client(client).connect()) {
        RateLimiter limiter = store.limiter(POLICY);
        for (int i = 0; i < 50; i++) {
          assertThat(limiter.tryAcquire("user:" + i).source()).isEqualTo(Source.STORE);
        }
      }
    }
  }

  @Test
  void refusesAClientThatWouldChargeLateOrTwice() {
    try (RedisClient client = RedisClient.create(server.uri())) {
      assertThatThrownBy(() -> RedisStore.using(client))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("client must reject commands while it is disconnected")
          .hasMessageEndingWith("disconnectedBehavior was DEFAULT");
      client.setOptions(RedisStore.clientOptions().build());
      assertThatThrownBy(() -> RedisStore.builder().client(client).uri(server.uri()).connect())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a store must have a client or uris, not both, had 1 uris");
    }
  }

  @Test
  void completesFuturesOnTheGivenExecutor() {
    ExecutorService executor =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "callbacks"));
    try (RedisStore store =
        RedisStore.builder().uri(server.uri()).callbackExecutor(executor).connect()) {
      RateLimiter limiter = store.limiter(POLICY);
      limiter.tryAcquire("executor");
      String thread = null;
      while (thread == null || thread.equals(Thread.currentThread().getName())) {
        thread = // complete already if the reply was faster than this thread
            limiter
                .tryAcquireAsync("executor", 1)
                .thenApply(decision -> Thread.currentThread().getName())
                .toCompletableFuture()
                .join();
      }
      assertThat(thread).isEqualTo("callbacks");
    } finally {
      executor.shutdown();
    }
  }
}
