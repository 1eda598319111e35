package dev.sash.spring.redis;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the store in Redis, if limits are kept there. Does not mention the store's type, so that
 * health, meters and logs work in applications that leave {@code sash-redis} out.
 */
@FunctionalInterface
public interface RedisLookup {
  /**
   * Finds the store in Redis.
   *
   * @return whether Redis responds, as of the latest decisions; null if limits are not kept in
   *     Redis
   */
  @Nullable BooleanSupplier find();
}
