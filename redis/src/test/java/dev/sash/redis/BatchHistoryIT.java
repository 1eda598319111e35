package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.History;
import dev.sash.testkit.HistoryChecker;
import dev.sash.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bursts of asynchronous requests of many kinds, which go to Redis in few calls: no window holds
 * more than its limit, and nothing is denied that fitted.
 */
@Timeout(120)
class BatchHistoryIT {
  private static final int BURSTS = 300;
  private static final int KEYS = 4;

  private static final List<Policy> POLICIES =
      List.of(
          policy("one", "300/400ms"),
          policy("two", "200/300ms", "1500/3s"),
          policy("cells", "200/250ms sliding-log cells=10"));

  private static Policy policy(String name, String... limits) {
    return Policy.named(name).withLimits(limits).withDeadline(Duration.ofSeconds(60));
  }

  /** The acquisitions of one key. */
  private record Account(RateLimiter limiter, List<Limit> limits, String key, History history) {
    void add(long invoked, int permits, Decision decision) {
      synchronized (history) {
        history.add(invoked, WallClock.INSTANCE.micros(), permits, decision.allowed());
      }
    }
  }

  @Test
  void noWindowIsExceededAndNothingDeniedThatFitted() {
    long seed = Long.getLong("sash.seed", ThreadLocalRandom.current().nextLong());
    Random random = new Random(seed);
    try (RedisServer server = RedisServer.start();
        RedisStore store =
            RedisStore.builder().uri(server.uri()).denyCacheTtl(Duration.ZERO).connect()) {
      List<Account> accounts = new ArrayList<>();
      for (Policy policy : POLICIES) {
        for (int i = 0; i < KEYS; i++) {
          RateLimiter limiter = store.limiter(policy);
          accounts.add(new Account(limiter, policy.limits(), "key " + i, new History()));
        }
      }
      for (int burst = 0; burst < BURSTS; burst++) {
        List<CompletableFuture<?>> decisions = new ArrayList<>();
        for (int i = random.nextInt(400); i >= 0; i--) {
          Account account = accounts.get(random.nextInt(accounts.size()));
          decisions.add(request(account, random).toCompletableFuture());
        }
        decisions.forEach(CompletableFuture::join);
        Callers.pause(Duration.ofMillis(random.nextInt(10)));
      }

      assertThat(store.fallbacks()).isZero();
      for (Account account : accounts) {
        Limit[] limits = account.limits.toArray(Limit[]::new);
        assertThat(HistoryChecker.check(account.history, limits)).as("seed %d", seed).isEmpty();
        assertThat(account.history.admitted())
            .as("some, not all; seed %d", seed)
            .isBetween(1, account.history.size() - 1);
      }
    }
  }

  /** Requests that spend have a history; others among them must not change it. */
  private static CompletionStage<?> request(Account account, Random random) {
    int permits = random.nextInt(3) == 0 ? 1 + random.nextInt(9) : 1;
    String key = account.key;
    return switch (random.nextInt(12)) {
      case 0 -> account.limiter.tryAcquireAsync(key, 0);
      case 1 -> account.limiter.inspectAsync(key);
      case 2 -> account.limiter.chargeAsync(key + " (charged)", permits);
      case 3 -> account.limiter.refundAsync(key + " (charged)", permits);
      case 4 -> account.limiter.resetAsync(key + " (charged)");
      default -> {
        long invoked = WallClock.INSTANCE.micros();
        yield account
            .limiter
            .tryAcquireAsync(key, permits)
            .thenAccept(
                decision -> {
                  assertThat(decision.source()).isEqualTo(Source.STORE);
                  account.add(invoked, permits, decision);
                });
      }
    };
  }
}
