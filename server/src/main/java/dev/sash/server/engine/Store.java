package dev.sash.server.engine;

import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.redis.RedisStore;

/** Where the state lives. */
public interface Store extends AutoCloseable {
  /**
   * In this process.
   *
   * @param store makes the limiters
   * @return the store
   */
  static Store inMemory(InMemoryStore store) {
    return new Store() {
      @Override
      public RateLimiter limiter(Policy policy) {
        return store.limiter(policy);
      }

      @Override
      public boolean isUp() {
        return true;
      }

      @Override
      public String name() {
        return "memory";
      }

      @Override
      public boolean isRemote() {
        return false;
      }

      @Override
      public void close() {}
    };
  }

  /**
   * In Redis.
   *
   * @param store makes the limiters; closed with what is returned
   * @return the store
   */
  static Store onRedis(RedisStore store) {
    return new Store() {
      @Override
      public RateLimiter limiter(Policy policy) {
        return store.limiter(policy);
      }

      @Override
      public boolean isUp() {
        return store.isUp();
      }

      @Override
      public String name() {
        return "redis";
      }

      @Override
      public boolean isRemote() {
        return true;
      }

      @Override
      public void close() {
        store.close();
      }
    };
  }

  /**
   * A limiter on the state of the policy.
   *
   * @param policy what is allowed
   * @return the limiter
   */
  RateLimiter limiter(Policy policy);

  /**
   * Whether the store decides, and not failure rules.
   *
   * @return always true in memory
   */
  boolean isUp();

  /**
   * What kind of store this is.
   *
   * @return {@code memory} or {@code redis}
   */
  String name();

  /**
   * Whether decisions come from elsewhere, and take their time.
   *
   * @return false in memory
   */
  boolean isRemote();

  @Override
  void close();
}
