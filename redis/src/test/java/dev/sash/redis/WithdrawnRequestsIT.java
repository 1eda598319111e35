package dev.sash.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that waits for its turn beyond its deadline is never sent, and never charged. */
@Timeout(120)
class WithdrawnRequestsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final Policy POLICY =
      Policy.of("api", Limit.parse("10/1h")).withDeadline(Duration.ofMillis(500));
  private static final Executor THREAD_EACH = task -> new Thread(task).start();

  @Test
  void onlyWhatWasSentIsCharged() throws IOException {
    try (RedisServer server =
            RedisServer.start("appendonly yes", "aof-use-rdb-preamble no", "appendfsync always");
        FaultProxy proxy = FaultProxy.to(server);
        RedisStore store = RedisStore.connect(proxy.uri())) {
      RateLimiter limiter = store.limiter(POLICY);
      awaitRedis(limiter);
      proxy.holdReplies();
      List<CompletableFuture<Decision>> decisions = new ArrayList<>();
      for (int i = 0; i < 2; i++) { // the calls that may be on their way at a time
        String key = "sent " + i;
        decisions.add(limiter.tryAcquireAsync(key, 1).toCompletableFuture());
        while (((List<?>) Objects.requireNonNull(server.command("KEYS", "*" + key + "*")))
            .isEmpty()) {
          Callers.pause(Duration.ofMillis(5)); // until the timeout
        }
      }
      for (int i = 0; i < 4; i++) {
        String key = "waiting thread " + i;
        decisions.add(CompletableFuture.supplyAsync(() -> limiter.tryAcquire(key), THREAD_EACH));
      }
      for (int i = 0; i < 500; i++) {
        decisions.add(limiter.tryAcquireAsync("waiting " + i, 1).toCompletableFuture());
      }
      assertThat(CompletableFuture.allOf(decisions.toArray(CompletableFuture<?>[]::new)))
          .succeedsWithin(PATIENCE);
      assertThat(decisions).allMatch(decision -> decision.join().source() == Source.LOCAL);
      proxy.pass();
      awaitRedis(limiter);

      assertThat((List<?>) server.command("KEYS", "*waiting*")).isEmpty();
      assertThat((List<?>) server.command("KEYS", "*sent*")).hasSize(2);
      assertThat(appendOnlyFile(server))
          .contains("{api:sent 0}", "{api:sent 1}")
          .doesNotContain("waiting");
    }
  }

  private static void awaitRedis(RateLimiter limiter) {
    while (limiter.peek("any key").source() != Source.STORE) {
      Callers.pause(Duration.ofMillis(5)); // until the timeout
    }
  }

  /** Returns every command that has changed something. */
  private static String appendOnlyFile(RedisServer server) throws IOException {
    List<?> dir = (List<?>) Objects.requireNonNull(server.command("CONFIG", "GET", "dir"));
    StringBuilder commands = new StringBuilder();
    try (Stream<Path> files = Files.walk(Path.of((String) dir.get(1)))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".aof")).toList()) {
        commands.append(Files.readString(file, ISO_8859_1));
      }
    }
    return commands.toString();
  }
}
