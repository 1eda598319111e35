package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Algorithm;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is kept has an expiry, on every way to write it, and is gone when it is not needed. */
class ExpiryIT {
  private static final Duration WINDOW = Duration.ofMinutes(10);

  /**
   * Counters are kept for two whole windows, buckets for a permit more; and all for a sixteenth of
   * the window and a second longer.
   */
  private static final long LINGER_MILLIS = WINDOW.toMillis() + WINDOW.toMillis() / 16 + 1_500;

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
  @EnumSource
  void livesAsLongAsSomethingIsCharged(Algorithm algorithm) {
    RateLimiter limiter = limiter(algorithm, WINDOW);
    limiter.tryAcquire("k", 3);
    assertExpires(limiter, "k", "a charge");
    limiter.tryAcquire("k");
    assertExpires(limiter, "k", "another");
    limiter.refund("k", 2);
    assertExpires(limiter, "k", "a refund");
    limiter.tryAcquire("k", 2);
    assertExpires(limiter, "k", "a charge of more");
    limiter.refund("k", 1_000);
    assertExpires(limiter, "k", "a refund of everything");
  }

  @ParameterizedTest
  @EnumSource
  void livesAsLongAsSinglePermitsAreCharged(Algorithm algorithm) {
    RateLimiter limiter = limiter(algorithm, WINDOW);
    for (int i = 1; i <= 3; i++) {
      limiter.tryAcquire("single");
      assertExpires(limiter, "single", i + " of them");
    }
    limiter.refund("single", 1);
    assertExpires(limiter, "single", "a refund");
  }

  @ParameterizedTest
  @EnumSource
  void isGoneSoonAfter(Algorithm algorithm) {
    RateLimiter limiter = limiter(algorithm, Duration.ofMillis(50));
    limiter.tryAcquire("short", 3);
    String name = name(limiter, "short");
    long begin = System.nanoTime();
    while (!Long.valueOf(0).equals(server.command("EXISTS", name))) {
      assertThat(System.nanoTime() - begin).isLessThan(Duration.ofSeconds(20).toNanos());
      Callers.pause(Duration.ofMillis(20));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDenialOrAPeekLeavesNothing(Algorithm algorithm) {
    RateLimiter limiter = limiter(algorithm, WINDOW);
    limiter.peek("nobody");
    limiter.tryAcquire("nobody", 1_000);
    limiter.refund("nobody", 1);

    assertThat(server.command("EXISTS", name(limiter, "nobody"))).isEqualTo(0L);
  }

  @Test
  void everyLimitOfSeveralLivesAsLongAsItIsNeeded() {
    Policy policy =
        Policy.named("several")
            .withLimits("1/1m token-bucket capacity=100", "1/2m token-bucket capacity=100")
            .withDeadline(Duration.ofSeconds(10));
    RateLimiter limiter = store.limiter(policy);
    String[] names = new KeyNames("sash").of("several", "k", policy.limits());
    for (int permits : new int[] {1, 9, 40}) {
      limiter.tryAcquire("k", permits);
      for (String name : names) {
        // The longer a debt, the later it is paid.
        assertThat((Long) server.command("PTTL", name))
            .as("%s after %d permits more", name, permits)
            .isGreaterThan(Duration.ofSeconds(59L * limiter.peek("k").used()).toMillis());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void livesOnForAsLongAsItIsUsed(Algorithm algorithm) {
    RateLimiter limiter = limiter(algorithm, Duration.ofMillis(200));
    assertLivesOn(limiter, "acquired", () -> limiter.tryAcquire("acquired"));
    assertLivesOn(limiter, "charged", () -> limiter.charge("charged", 1));
  }

  /** Uses a key for longer than its first expiry, and checks that no expiry is too early. */
  private static void assertLivesOn(RateLimiter limiter, String key, Runnable use) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < Duration.ofMillis(2_500).toNanos()) {
      use.run();
      long left = Math.max(0, (Long) server.command("PTTL", name(limiter, key))); // -2: gone
      long needed = limiter.peek(key).resetAfter().toMillis();
      assertThat(left).as("%s: %s", limiter.policy(), key).isGreaterThanOrEqualTo(needed);
      Callers.pause(Duration.ofMillis(10));
    }
  }

  private static void assertExpires(RateLimiter limiter, String key, String what) {
    Object millis = server.command("PTTL", name(limiter, key)); // first, for time goes on
    long needed = limiter.peek(key).resetAfter().toMillis();
    assertThat((Long) millis)
        .as("%s after %s", limiter.policy(), what)
        .isBetween(needed, needed + LINGER_MILLIS);
  }

  private static RateLimiter limiter(Algorithm algorithm, Duration window) {
    Limit limit = Limit.of(algorithm, 100, window);
    return store.limiter(
        Policy.of("expiry-" + algorithm.id(), limit).withDeadline(Duration.ofSeconds(10)));
  }

  private static String name(RateLimiter limiter, String key) {
    return new KeyNames("sash").of(limiter.policy().name(), key, limiter.policy().limits())[0];
  }
}
