package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * The burst of docs/redis-incr.md: what a counter with an expiry admits about the end of a window.
 */
class IncrExpireIT {
  private static final int LIMIT = 100;
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final String SCRIPT =
      """
      local count = redis.call('INCR', KEYS[1])
      if count == 1 then
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
      end
      return count <= tonumber(ARGV[1]) and 1 or 0
      """;

  @Test
  void aCounterWithAnExpiryAdmitsTwiceTheLimitInAWindow() {
    try (RedisServer server = RedisServer.start()) {
      long admitted =
          mostInAWindow(
              server,
              "counter",
              () ->
                  Long.valueOf(1)
                      .equals(
                          server.command(
                              "EVAL",
                              SCRIPT,
                              "1",
                              "counter",
                              Integer.toString(LIMIT),
                              Long.toString(WINDOW.toMillis()))));
      assertThat(admitted).isEqualTo(2 * LIMIT - 1);
    }
  }

  @Test
  void anExactLogAdmitsTheLimit() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.connect(server.uri())) {
      RateLimiter limiter =
          store.limiter(
              Policy.of("api", Limit.slidingLog(LIMIT, WINDOW))
                  .withDeadline(Duration.ofSeconds(30)));
      long admitted = mostInAWindow(server, "unused", () -> limiter.tryAcquire("k").allowed());
      assertThat(admitted).isEqualTo(LIMIT);
    }
  }

  /**
   * One request, the rest of the limit half a window later, and the limit again when it has ended.
   */
  private static long mostInAWindow(RedisServer server, String key, BooleanSupplier request) {
    List<Admitted> admitted = new ArrayList<>();
    long begin = System.nanoTime();
    ask(request, 1, admitted);
    Callers.pause(WINDOW.dividedBy(2));
    ask(request, LIMIT - 1, admitted);
    while (System.nanoTime() - begin < WINDOW.toNanos()
        || Long.valueOf(1).equals(server.command("EXISTS", key))) {
      Callers.pause(Duration.ofMillis(5));
    }
    ask(request, 2 * LIMIT, admitted);
    return admitted.stream()
        .mapToLong(first -> admitted.stream().filter(first::isSurelyWithinAWindowOf).count())
        .max()
        .orElseThrow();
  }

  private static void ask(BooleanSupplier request, int times, List<Admitted> admitted) {
    for (int i = 0; i < times; i++) {
      long asked = System.nanoTime();
      if (request.getAsBoolean()) {
        admitted.add(new Admitted(asked, System.nanoTime()));
      }
    }
  }

  /** A request that Redis admitted at some time between the question and the answer. */
  private record Admitted(long asked, long answered) {
    boolean isSurelyWithinAWindowOf(Admitted later) {
      return later.asked >= asked && later.answered - asked < WINDOW.toNanos();
    }
  }
}
