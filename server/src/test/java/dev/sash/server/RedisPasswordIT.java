package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.RedisLogin;
import dev.sash.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The password of Redis from a file that changes. */
@Timeout(60)
class RedisPasswordIT {
  @RepeatedTest(3)
  void takesTheNewPasswordWhenItReconnects(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("password"), "first\n");
    RedisLogin login =
        RedisLogin.of(
            Map.of("SASH_REDIS_USER", "sash", "SASH_REDIS_PASSWORD_FILE", file.toString()));
    try (RedisServer redis = RedisServer.start()) {
      redis.command("ACL", "SETUSER", "sash", "on", ">first", "~*", "+@all");
      try (TestServer server =
          TestServer.start(
              "policies: {api: {limit: 1000000/1h}}",
              options -> options.withRedis(List.of(redis.uri())).withRedisLogin(login))) {
        awaitStore(server);
        redis.command("ACL", "SETUSER", "sash", "resetpass", ">second");
        Files.writeString(file, "second\n");
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        awaitStore(server);
        assertThat(String.valueOf(redis.command("CLIENT", "LIST"))).contains("user=sash");
      }
    }
  }

  private static void awaitStore(TestServer server) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!server.get("/v1/check/api/ann").body().contains("\"source\":\"store\"")) {
      assertThat(System.nanoTime()).as("Redis decides").isLessThan(end);
    }
  }
}
