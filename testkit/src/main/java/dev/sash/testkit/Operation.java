package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import org.jspecify.annotations.Nullable;

/** Something that can be asked of a limiter. Immutable. */
public sealed interface Operation {
  /**
   * Does it.
   *
   * @param limiter on this limiter
   * @return its decision; null if the operation has none
   */
  @Nullable Decision on(RateLimiter limiter);

  /**
   * Spends permits; 0 peeks.
   *
   * @param key who spends
   * @param permits how many
   */
  record Acquire(String key, long permits) implements Operation {
    @Override
    public Decision on(RateLimiter limiter) {
      return limiter.tryAcquire(key, permits);
    }
  }

  /**
   * Spends permits by the asynchronous method.
   *
   * @param key who spends
   * @param permits how many
   */
  record AcquireAsync(String key, long permits) implements Operation {
    @Override
    public Decision on(RateLimiter limiter) {
      return limiter.tryAcquireAsync(key, permits).toCompletableFuture().join();
    }
  }

  /**
   * Gives permits back.
   *
   * @param key who spent them
   * @param permits how many
   */
  record Refund(String key, long permits) implements Operation {
    @Override
    public Decision on(RateLimiter limiter) {
      return limiter.refund(key, permits);
    }
  }

  /**
   * Forgets a key.
   *
   * @param key which
   */
  record Reset(String key) implements Operation {
    @Override
    public @Nullable Decision on(RateLimiter limiter) {
      limiter.reset(key);
      return null;
    }
  }

  /**
   * Puts another policy in force.
   *
   * @param policy which
   */
  record Change(Policy policy) implements Operation {
    @Override
    public @Nullable Decision on(RateLimiter limiter) {
      limiter.changePolicy(policy);
      return null;
    }
  }
}
