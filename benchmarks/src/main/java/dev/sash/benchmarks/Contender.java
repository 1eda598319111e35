package dev.sash.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.memory.InMemoryStore;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * One way to answer «may this key spend a permit now?». Sash keeps its keys itself; the peers,
 * which limit one thing each, are kept in a ConcurrentHashMap by key, as their users do, and each
 * is made the way its documentation shows.
 */
public enum Contender {
  /** Sash, exact sliding log. */
  SASH_LOG("Sash, exact log") {
    @Override
    Asked limiter(long permits, Duration window) {
      return sash(Limit.slidingLog(permits, window));
    }
  },
  /** Sash, sliding log with 10 cells. */
  SASH_LOG_10_CELLS("Sash, log with 10 cells") {
    @Override
    Asked limiter(long permits, Duration window) {
      return sash(Limit.slidingLog(permits, window).withCells(10));
    }
  },
  /** Sash, sliding counter. */
  SASH_COUNTER("Sash, sliding counter") {
    @Override
    Asked limiter(long permits, Duration window) {
      return sash(Limit.slidingCounter(permits, window));
    }
  },
  /** Sash, fixed window. */
  SASH_FIXED("Sash, fixed window") {
    @Override
    Asked limiter(long permits, Duration window) {
      return sash(Limit.fixedWindow(permits, window));
    }
  },
  /** Sash, token bucket. */
  SASH_BUCKET("Sash, token bucket") {
    @Override
    Asked limiter(long permits, Duration window) {
      return sash(Limit.tokenBucket(permits, window));
    }
  },
  /** Guava's RateLimiter: permits per second, smooth. */
  GUAVA("Guava RateLimiter") {
    @Override
    @SuppressWarnings("UnstableApiUsage")
    Asked limiter(long permits, Duration window) {
      double perSecond = permits * 1e9 / window.toNanos();
      return perKey(key -> RateLimiter.create(perSecond), RateLimiter::tryAcquire);
    }
  },
  /** Resilience4j's default, the atomic rate limiter: fixed windows. */
  RESILIENCE4J("Resilience4j") {
    @Override
    Asked limiter(long permits, Duration window) {
      RateLimiterConfig config =
          RateLimiterConfig.custom()
              .limitForPeriod((int) permits)
              .limitRefreshPeriod(window)
              .timeoutDuration(Duration.ZERO)
              .build();
      return perKey(
          key -> new AtomicRateLimiter(key, config), limiter -> limiter.acquirePermission(1));
    }
  },
  /** Bucket4j's local bucket, lock-free: token bucket. */
  BUCKET4J("Bucket4j") {
    @Override
    Asked limiter(long permits, Duration window) {
      Bandwidth bandwidth =
          Bandwidth.builder().capacity(permits).refillGreedy(permits, window).build();
      return perKey(
          key -> Bucket.builder().addLimit(bandwidth).build(), bucket -> bucket.tryConsume(1));
    }
  };

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  /** The name in reports. */
  String label() {
    return label;
  }

  /** A limiter per key, with that many permits per window. */
  abstract Asked limiter(long permits, Duration window);

  private static Asked sash(Limit limit) {
    var limiter =
        InMemoryStore.builder().maxKeys(2_000_000).build().limiter(Policy.of("bench", limit));
    return key -> limiter.tryAcquire(key).allowed();
  }

  private interface Question<T> {
    boolean ask(T limiter);
  }

  private static <T> Asked perKey(Function<String, T> maker, Question<T> question) {
    var limiters = new ConcurrentHashMap<String, T>();
    return key -> {
      T limiter = limiters.get(key); // computeIfAbsent alone would lock the bin of a hot key
      if (limiter == null) {
        limiter = limiters.computeIfAbsent(key, maker);
      }
      return question.ask(limiter);
    };
  }
}
