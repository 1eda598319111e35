package dev.sash.benchmarks.redis;

import static java.util.Objects.requireNonNull;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.benchmarks.Asked;
import dev.sash.redis.BareScript;
import dev.sash.redis.RedisStore;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

/** The limiters to compare, as a Java program calls them; each as its documentation shows. */
enum RedisContender {
  SASH_LOG("Sash, exact log, no deny cache", asking(Limit::slidingLog)),
  SASH_LOG_BELIEVING("Sash, exact log", believing(Limit::slidingLog)),
  SASH_CELLS("Sash, log with 10 cells", believing(LimitOf::logWithCells)),
  SASH_COUNTER("Sash, sliding counter, no deny cache", asking(Limit::slidingCounter)),
  SASH_COUNTER_BELIEVING("Sash, sliding counter", believing(Limit::slidingCounter)),
  SASH_FIXED("Sash, fixed window", believing(Limit::fixedWindow)),
  SASH_BUCKET("Sash, token bucket", believing(Limit::tokenBucket)),
  SASH_BARE("the exact log's script by Lettuce alone", RedisContender::bareLog),
  SORTED_SET(
      "the usual log, a sorted set, by Lettuce",
      (clients, task) -> script(clients, Script.sortedSet(task.permits, task.window))),
  EMPTY("an empty script, by Lettuce", (clients, task) -> script(clients, Script.empty())),
  BUCKET4J("Bucket4j, Lettuce", RedisContender::bucket4j),
  REDISSON("Redisson RRateLimiter, one connection", redisson(Clients::redisson)),
  REDISSON_POOL("Redisson RRateLimiter, its pool", redisson(Clients::pooledRedisson));

  /**
   * What is to be limited.
   *
   * @param keys the keys
   * @param permits how many each has per window
   */
  record Task(List<String> keys, long permits, Duration window) {
    Task(Traffic traffic) {
      this(traffic.keys(), traffic.permits(), Traffic.WINDOW);
    }
  }

  private interface Maker {
    Asked limiter(Clients clients, Task task);
  }

  /** As patient as the others, so that nobody is let off by a busy machine. */
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // makers hold nothing
  private final Maker maker;

  RedisContender(String label, Maker maker) {
    this.label = label;
    this.maker = maker;
  }

  String label() {
    return label;
  }

  /** A limiter on an empty server. */
  Asked limiter(Clients clients, Task task) {
    return maker.limiter(clients, task);
  }

  private static Maker asking(LimitOf kind) {
    return (clients, task) -> sash(clients.asking(), kind, task);
  }

  private static Maker believing(LimitOf kind) {
    return (clients, task) -> sash(clients.believing(), kind, task);
  }

  private static Asked sash(RedisStore store, LimitOf kind, Task task) {
    Limit limit = kind.limit(task.permits, task.window);
    RateLimiter limiter = store.limiter(Policy.of("bench", limit).withDeadline(DEADLINE));
    return key -> {
      Decision decision = limiter.tryAcquire(key);
      return switch (decision.source()) {
        case STORE, DENY_CACHE -> decision.allowed();
        default -> throw new IllegalStateException("Redis did not decide: " + decision);
      };
    };
  }

  private static Asked bareLog(Clients clients, Task task) {
    BareScript script = new BareScript(List.of(Limit.slidingLog(task.permits, task.window)));
    RedisAsyncCommands<String, byte[]> redis = clients.lettuce().async();
    await(redis.scriptLoad(script.source()));
    return key -> {
      RedisFuture<byte[]> reply =
          redis.evalsha(script.sha1(), ScriptOutputType.VALUE, script.keys(key), script.argument());
      return script.decision(await(reply)).allowed();
    };
  }

  /** Returns whether it is a limiter at all. */
  boolean limits() {
    return this != EMPTY;
  }

  private static Asked script(Clients clients, Script script) {
    RedisAsyncCommands<String, byte[]> redis = clients.lettuce().async();
    String sha1 = await(redis.scriptLoad(script.source()));
    return key -> {
      Script.Call call = script.call(key);
      RedisFuture<Long> reply =
          redis.evalsha(
              sha1,
              ScriptOutputType.INTEGER,
              call.keys().toArray(String[]::new),
              call.arguments().toArray(byte[][]::new));
      return await(reply) == 1;
    };
  }

  private static Asked bucket4j(Clients clients, Task task) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(task.permits).refillGreedy(task.permits, task.window))
            .build();
    Map<String, Bucket> buckets = new ConcurrentHashMap<>();
    for (String key : task.keys) {
      buckets.put(key, clients.bucket4j().getProxy(key, () -> configuration));
    }
    return key -> requireNonNull(buckets.get(key)).tryConsume(1);
  }

  private static Maker redisson(Function<Clients, RedissonClient> client) {
    return (clients, task) -> redisson(client.apply(clients), task);
  }

  /** Here the server has to be told the rate of every key beforehand. */
  private static Asked redisson(RedissonClient client, Task task) {
    Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();
    for (String key : task.keys) {
      limiters.put(key, client.getRateLimiter(key));
    }
    CompletableFuture.allOf(
            limiters.values().stream()
                .map(
                    limiter -> limiter.trySetRateAsync(RateType.OVERALL, task.permits, task.window))
                .map(set -> set.toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new))
        .join();
    return key -> requireNonNull(limiters.get(key)).tryAcquire();
  }

  private static <T> T await(RedisFuture<T> reply) {
    try {
      return reply.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Redis did not decide", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
