package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** User and password from a supplier. */
@Timeout(120)
class CredentialsIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("1000000/1h"))
          .withDeadline(Duration.ofSeconds(1))
          .onFailure(FailureRule.LOCAL);

  @RepeatedTest(5)
  void takesANewPasswordWhenItReconnects() {
    AtomicReference<String> password = new AtomicReference<>("first password");
    try (RedisServer server = RedisServer.start()) {
      setPassword(server, "first password");
      try (RedisStore store =
          RedisStore.builder()
              .uri(server.uri())
              .credentials(() -> RedisCredentials.just("sash", password.get()))
              .connect()) {
        RateLimiter limiter = store.limiter(POLICY);
        assertThat(limiter.tryAcquire("ann").source()).isEqualTo(Source.STORE);

        // Redis keeps the connections of a user whose password changes.
        setPassword(server, "second password");
        assertThat(limiter.tryAcquire("ann").source()).isEqualTo(Source.STORE);

        password.set("second password");
        server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        awaitStore(limiter);
      }
    }
  }

  private static void setPassword(RedisServer server, String password) {
    server.command("ACL", "SETUSER", "sash", "reset", "on", ">" + password, "~*", "+@all");
    server.command("ACL", "SETUSER", "default", "on", "nopass", "~*", "+@all");
  }

  private static void awaitStore(RateLimiter limiter) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (limiter.tryAcquire("bob").source() != Source.STORE) {
      assertThat(System.nanoTime()).as("Redis decides again").isLessThan(end);
    }
  }

  @Test
  void retriesWhileThePasswordIsWrongOrUnavailable() {
    AtomicInteger calls = new AtomicInteger();
    try (RedisServer server = RedisServer.start()) {
      setPassword(server, "the password");
      try (RedisStore store =
          RedisStore.builder()
              .uri(server.uri())
              .credentials(
                  () -> {
                    int call = calls.incrementAndGet();
                    if (call == 1) {
                      throw new IllegalStateException("the file is not there");
                    }
                    return RedisCredentials.just("sash", call == 2 ? "wrong" : "the password");
                  })
              .connect()) {
        awaitStore(store.limiter(POLICY));
        assertThat(calls.get()).isGreaterThanOrEqualTo(3);
      }
    }
  }

  @Test
  void authenticatesToEveryServerOfACluster() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store =
            RedisStore.builder()
                .uri(cluster.uris().get(0).replace("redis://", "redis-cluster://"))
                .credentials(() -> RedisCredentials.just("default", "any: it has no password"))
                .connect()) {
      RateLimiter limiter = store.limiter(POLICY);
      for (int i = 0; i < 50; i++) {
        assertThat(limiter.tryAcquire("user:" + i).source()).isEqualTo(Source.STORE);
      }
    }
  }

  @Test
  void refusesCredentialsForAnExistingClient() {
    try (RedisClient client = RedisClient.create()) {
      client.setOptions(RedisStore.clientOptions().build());
      assertThatThrownBy(
              () ->
                  RedisStore.builder()
                      .client(client)
                      .credentials(() -> RedisCredentials.just(null, "secret"))
                      .connect())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("credentials must not be set for an existing client, which has its own");
    }
  }
}
