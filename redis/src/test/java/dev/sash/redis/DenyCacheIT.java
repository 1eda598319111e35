package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Denials are believed without asking Redis, and no longer than they are true. */
class DenyCacheIT {
  private static final Policy POLICY =
      Policy.of("api", Limit.slidingLog(10, Duration.ofHours(1)))
          .withDeadline(Duration.ofSeconds(10));

  private static RedisServer server;
  private RedisStore store;

  @BeforeAll
  static void startServer() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    server.command("FLUSHALL");
    store = RedisStore.builder().uri(server.uri()).denyCacheTtl(Duration.ofMinutes(1)).connect();
  }

  @AfterEach
  void disconnect() {
    store.close();
  }

  @Test
  void aDeniedKeyIsNotAskedForAgain() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 10);
    Decision denied = limiter.tryAcquire("k");
    long scripts = scriptsRun();
    for (int i = 0; i < 1_000; i++) {
      Decision again = limiter.tryAcquire("k", 1 + i % 3);
      assertThat(again.allowed()).isFalse();
      assertThat(again.source()).isEqualTo(Source.DENY_CACHE);
      assertThat(again.used()).isEqualTo(10);
      assertThat(again.remaining()).isZero();
      assertThat(again.retryAfter()).isBetween(Duration.ofMinutes(58), denied.retryAfter());
    }

    assertThat(scriptsRun()).isEqualTo(scripts);
    assertThat(limiter.peek("k").source()).isEqualTo(Source.STORE);
  }

  @Test
  void whatFitsIsAskedFor() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 8);
    assertThat(limiter.tryAcquire("k", 3).allowed()).isFalse();

    assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
  }

  @Test
  void aRefundIsSeenAtOnce() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 10);
    for (int i = 0; i < 50; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      limiter.refund("k", 1);
      assertThat(limiter.tryAcquire("k").allowed()).as("after refund %d", i).isTrue();
    }
  }

  @Test
  void aResetIsSeenAtOnce() {
    RateLimiter limiter = store.limiter(POLICY);
    for (int i = 0; i < 50; i++) {
      assertThat(limiter.tryAcquire("k", 10).allowed()).isTrue();
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      limiter.reset("k");
    }
  }

  @Test
  void aHigherLimitIsSeenAtOnce() {
    RateLimiter limiter = store.limiter(POLICY);
    limiter.tryAcquire("k", 10);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();

    RateLimiter higher = store.limiter(POLICY.withLimits("11/1h"));

    assertThat(higher.tryAcquire("k").allowed()).isTrue();
  }

  @Test
  void aResetByAnotherProcessIsSeenWhenTheDenialIsTooOldToBeBelieved() {
    try (RedisStore here =
            RedisStore.builder().uri(server.uri()).denyCacheTtl(Duration.ofMillis(200)).connect();
        RedisStore there = RedisStore.connect(server.uri())) {
      RateLimiter limiter = here.limiter(POLICY);
      limiter.tryAcquire("k", 10);
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      there.limiter(POLICY).reset("k");
      long begin = System.nanoTime();
      while (!limiter.tryAcquire("k").allowed()) {
        assertThat(System.nanoTime() - begin).isLessThan(Duration.ofSeconds(30).toNanos());
      }
    }
  }

  private static long scriptsRun() {
    Matcher calls =
        Pattern.compile("cmdstat_eval(?:sha)?:calls=([0-9]+)")
            .matcher(String.valueOf(server.command("INFO", "commandstats")));
    return calls.results().mapToLong(call -> Long.parseLong(call.group(1))).sum();
  }
}
