package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A key of ours holds what Sash did not write: that key follows its failure rule, no other does.
 */
class ForeignStateIT {
  /** More than it takes to open a circuit breaker. */
  private static final int IN_A_ROW = 6;

  private static RedisServer server;
  private static RedisStore store;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    store = RedisStore.connect(server.uri());
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1h sliding-log",
        "10/1h sliding-log cells=5",
        "10/30d sliding-log",
        "10/1h sliding-counter",
        "10/1h fixed-window",
        "10/1h token-bucket",
        "10/1h sliding-log and 20/2h fixed-window",
        "10/1h fixed-window and 20/2h sliding-log",
        "10/1h token-bucket and 20/2h sliding-counter",
      })
  void onlyThatKeyFollowsTheFailureRule(String limits) {
    Policy policy =
        Policy.named("foreign")
            .withLimits(limits.split(" and ", -1))
            .withDeadline(Duration.ofSeconds(10));
    RateLimiter limiter = store.limiter(policy);
    String name = new KeyNames("sash").of("foreign", "spoilt", policy.limits())[0];
    for (List<String> command : foreignValues(name)) {
      server.command("DEL", name);
      server.command(command.toArray(String[]::new));
      for (int i = 0; i < IN_A_ROW; i++) {
        assertLocal(limiter.tryAcquire("spoilt"), command);
        assertLocal(limiter.tryAcquire("spoilt", 3), command);
        assertLocal(limiter.peek("spoilt"), command);
        assertLocal(limiter.charge("spoilt", 1), command);
        assertLocal(limiter.refund("spoilt", 1), command);
      }
      assertThat(store.isUp()).as("%s", command).isTrue();
      assertThat(limiter.tryAcquire("other").source()).as("%s", command).isEqualTo(Source.STORE);
      limiter.reset("other");
      limiter.reset("spoilt"); // in Redis and in this process
      Decision decision = limiter.tryAcquire("spoilt");
      assertThat(decision.source()).isEqualTo(Source.STORE);
      assertThat(decision.used()).isEqualTo(1);
      limiter.reset("spoilt");
    }
  }

  private static List<List<String>> foreignValues(String name) {
    return List.of(
        List.of("LPUSH", name, "a list"),
        List.of("SADD", name, "a set"),
        List.of("SET", name, ""),
        List.of("SET", name, "short"),
        List.of("SET", name, "x".repeat(40)),
        List.of("SET", name, "x".repeat(48)),
        List.of("SET", name, "x".repeat(5_000)),
        List.of("HSET", name, "h", ""),
        List.of("HSET", name, "h", "short"),
        List.of("HSET", name, "h", "\u0010"),
        List.of("HSET", name, "h", "\u0010" + "x".repeat(22)),
        List.of("HSET", name, "h", "\u0010" + "x".repeat(24)),
        List.of("HSET", name, "h", "\u0012" + "x".repeat(23)),
        List.of("HSET", name, "h", "\u0013" + "x".repeat(28)),
        List.of("HSET", name, "h", "\u0014" + "x".repeat(22)),
        List.of("HSET", name, "h", "x".repeat(100)));
  }

  private static void assertLocal(Decision decision, List<String> command) {
    assertThat(decision.source()).as("%s", command).isEqualTo(Source.LOCAL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10/1h sliding-log", "10/1h token-bucket"})
  void stateOfAnotherFormatIsNotSeen(String limit) {
    Policy policy = Policy.named("versions").withLimits(limit).withDeadline(Duration.ofSeconds(10));
    String name = new KeyNames("sash").of("versions", "k", policy.limits())[0];
    assertThat(name).startsWith("sash:v2:{versions:k}:");
    server.command("SET", name.replace(":v2:", ":"), "as an earlier version wrote it");

    assertThat(store.limiter(policy).tryAcquire("k").source()).isEqualTo(Source.STORE);
  }
}
