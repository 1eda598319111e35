package dev.sash.benchmarks.redis;

import dev.sash.redis.RedisStore;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The clients of all contenders, each made once and as its documentation shows, with one connection
 * each. Redisson comes with a pool of them unless told otherwise, so it is there twice.
 */
final class Clients implements AutoCloseable {
  private final RedisStore asking;
  private final RedisStore believing;
  private final RedisClient lettuce;
  private final StatefulRedisConnection<String, byte[]> connection;
  private final ProxyManager<String> bucket4j;
  private final RedissonClient redisson;
  private final RedissonClient pooledRedisson;

  Clients(String uri) {
    asking = RedisStore.builder().uri(uri).denyCacheTtl(Duration.ZERO).connect();
    believing = RedisStore.connect(uri);
    lettuce = RedisClient.create(uri);
    // As Sash connects: without a timer for every command.
    lettuce.setOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.create()).build());
    connection = lettuce.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    bucket4j =
        Bucket4jLettuce.casBasedBuilder(connection)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(10)))
            .build();
    Config config = new Config();
    config
        .useSingleServer()
        .setAddress(uri)
        .setConnectionPoolSize(1)
        .setConnectionMinimumIdleSize(1);
    redisson = Redisson.create(config);
    Config pooled = new Config();
    pooled.useSingleServer().setAddress(uri);
    pooledRedisson = Redisson.create(pooled);
  }

  /** Sash without its deny cache. */
  RedisStore asking() {
    return asking;
  }

  /** Sash with its deny cache, which is the default. */
  RedisStore believing() {
    return believing;
  }

  /** Lettuce itself. */
  StatefulRedisConnection<String, byte[]> lettuce() {
    return connection;
  }

  ProxyManager<String> bucket4j() {
    return bucket4j;
  }

  /** Redisson on one connection. */
  RedissonClient redisson() {
    return redisson;
  }

  /** Redisson with as many connections as it takes when nothing is said. */
  RedissonClient pooledRedisson() {
    return pooledRedisson;
  }

  @Override
  public void close() {
    asking.close();
    believing.close();
    lettuce.shutdown();
    redisson.shutdown();
    pooledRedisson.shutdown();
  }
}
