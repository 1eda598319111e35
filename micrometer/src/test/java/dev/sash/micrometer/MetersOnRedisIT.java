package dev.sash.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of a store on a real Redis, available and unavailable. */
@Timeout(120)
class MetersOnRedisIT {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Observations seen = new Observations();
  private final SashMeters meters = new SashMeters(registry, seen.registry());
  private RedisServer server;
  private RedisStore store;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    store = RedisStore.connect(server.uri());
    meters.watchStore("main", store::isUp);
  }

  @AfterEach
  void stop() {
    store.close();
    server.close();
  }

  private RateLimiter limiter(FailureRule rule) {
    return meters
        .instrument(store)
        .limiter(
            Policy.of("api", Limit.slidingLog(2, Duration.ofHours(1)))
                .onFailure(rule)
                .withDeadline(Duration.ofSeconds(20)));
  }

  @Test
  void timesDecisionsByRedisButNotByTheDenyCache() {
    RateLimiter limiter = limiter(FailureRule.LOCAL);
    limiter.tryAcquire("k", 2);
    limiter.tryAcquire("k");
    limiter.tryAcquire("k");
    limiter.tryAcquireAsync("k", 1).toCompletableFuture().join();

    assertThat(decisions("allowed", "store")).isOne();
    assertThat(decisions("denied", "store")).isOne();
    assertThat(decisions("denied", "deny_cache")).isEqualTo(2);
    assertThat(registry.get("sash.store.latency").timer().count()).isEqualTo(2);
    assertThat(registry.get("sash.store.latency").timer().totalTime(TimeUnit.NANOSECONDS))
        .isPositive();
    assertThat(registry.get("sash.fallbacks").counter().count()).isZero();
    assertThat(registry.get("sash.store.up").gauge().value()).isOne();
    assertThat(seen.stopped())
        .extracting(context -> Observations.keysOf(context).get("source"))
        .containsExactly("store", "store", "deny_cache", "deny_cache");
  }

  @Test
  void countsDecisionsByFailureRules() {
    RateLimiter limiter = limiter(FailureRule.CLOSED);
    limiter.tryAcquire("k");
    server.kill();
    long byRule = 0;
    while (store.isUp()) {
      byRule += limiter.tryAcquire("k").source() == Source.FAILURE_RULE ? 1 : 0;
    }
    limiter.peek("k");
    limiter.refund("k", 1);
    limiter.charge("k", 1);
    limiter.tryAcquireAsync("k", 1).toCompletableFuture().join();

    assertThat(limiter.tryAcquire("k").source()).isEqualTo(Source.FAILURE_RULE);
    assertThat(decisions("denied", "failure_rule")).isEqualTo((double) byRule + 2);
    assertThat(registry.get("sash.fallbacks").counter().count()).isEqualTo((double) byRule + 5);
    assertThat(registry.get("sash.store.up").gauge().value()).isZero();
    assertThat(seen.stopped()).allMatch(context -> context.getError() == null);
  }

  @Test
  void anObservationHasTheErrorOfAResetThatFailed() {
    RateLimiter limiter = limiter(FailureRule.CLOSED);
    server.kill();
    assertThat(limiter.resetAsync("k").toCompletableFuture())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .havingRootCause();

    Observation.Context context = seen.only();
    assertThat(context.getName()).isEqualTo("sash.reset");
    assertThat(context.getError()).isNotNull();
  }

  private double decisions(String outcome, String source) {
    return registry
        .get("sash.decisions")
        .tags("outcome", outcome, "source", source)
        .counter()
        .count();
  }
}
