package dev.sash.benchmarks.redis;

import static java.util.Objects.requireNonNull;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.benchmarks.redis.InFlight.Limiter;
import dev.sash.benchmarks.redis.RedisContender.Task;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;

/** The limiters to compare, as a Java program calls them that does not wait. */
enum AsyncContender {
  SASH_LOG("Sash, exact log", sash(Limit::slidingLog)),
  SASH_COUNTER("Sash, sliding counter", sash(Limit::slidingCounter)),
  SASH_FIXED("Sash, fixed window", sash(Limit::fixedWindow)),
  SASH_BUCKET("Sash, token bucket", sash(Limit::tokenBucket)),
  SASH_TWO_LIMITS("Sash, exact log and sliding counter on one key", AsyncContender::twoLimits),
  SORTED_SET(
      "the usual log, a sorted set, by Lettuce",
      (clients, task) -> script(clients, Script.sortedSet(task.permits(), task.window()))),
  TWO_KEYS(
      "the usual counter, two keys, by Lettuce",
      (clients, task) -> script(clients, Script.twoKeys(task.permits(), task.window()))),
  EMPTY("an empty script, by Lettuce", (clients, task) -> script(clients, Script.empty())),
  BUCKET4J("Bucket4j, Lettuce", AsyncContender::bucket4j),
  REDISSON("Redisson RRateLimiter, one connection", AsyncContender::redisson);

  private interface Maker {
    Limiter limiter(Clients clients, Task task);
  }

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // makers hold nothing
  private final Maker maker;

  AsyncContender(String label, Maker maker) {
    this.label = label;
    this.maker = maker;
  }

  String label() {
    return label;
  }

  /** Returns whether it is a limiter at all. */
  boolean limits() {
    return this != EMPTY;
  }

  /** Returns a limiter on an empty server. */
  Limiter limiter(Clients clients, Task task) {
    return maker.limiter(clients, task);
  }

  private static Maker sash(LimitOf kind) {
    return (clients, task) -> sash(clients, List.of(kind.limit(task.permits(), task.window())));
  }

  private static Limiter twoLimits(Clients clients, Task task) {
    return sash(
        clients,
        List.of(
            Limit.slidingLog(task.permits(), task.window()),
            Limit.slidingCounter(10 * task.permits(), task.window().multipliedBy(60))));
  }

  /** With the deny cache, as by default: the traffic is mostly allowed. */
  private static Limiter sash(Clients clients, List<Limit> limits) {
    RateLimiter limiter =
        clients
            .believing()
            .limiter(Policy.named("bench").withLimits(limits).withDeadline(DEADLINE));
    return key -> limiter.tryAcquireAsync(key, 1).thenApply(AsyncContender::byRedis);
  }

  private static boolean byRedis(Decision decision) {
    return switch (decision.source()) {
      case STORE, DENY_CACHE -> decision.allowed();
      default -> throw new IllegalStateException("Redis did not decide: " + decision);
    };
  }

  private static Limiter script(Clients clients, Script script) {
    RedisAsyncCommands<String, byte[]> redis = clients.lettuce().async();
    String sha1 = redis.scriptLoad(script.source()).toCompletableFuture().join();
    return key -> {
      Script.Call call = script.call(key);
      return redis
          .<Long>evalsha(
              sha1,
              ScriptOutputType.INTEGER,
              call.keys().toArray(String[]::new),
              call.arguments().toArray(byte[][]::new))
          .thenApply(reply -> reply == 1);
    };
  }

  private static Limiter bucket4j(Clients clients, Task task) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(
                limit -> limit.capacity(task.permits()).refillGreedy(task.permits(), task.window()))
            .build();
    Map<String, AsyncBucketProxy> buckets = new ConcurrentHashMap<>();
    for (String key : task.keys()) {
      buckets.put(
          key,
          clients
              .bucket4j()
              .asAsync()
              .getProxy(key, () -> CompletableFuture.completedFuture(configuration)));
    }
    return key -> requireNonNull(buckets.get(key)).tryConsume(1);
  }

  private static Limiter redisson(Clients clients, Task task) {
    Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();
    for (String key : task.keys()) {
      limiters.put(key, clients.redisson().getRateLimiter(key));
    }
    CompletableFuture.allOf(
            limiters.values().stream()
                .map(
                    limiter ->
                        limiter
                            .trySetRateAsync(RateType.OVERALL, task.permits(), task.window())
                            .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new))
        .join();
    return key -> requireNonNull(limiters.get(key)).tryAcquireAsync();
  }
}
