package dev.sash.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.sash.KeyLimiter;
import dev.sash.Limit;
import dev.sash.Sash;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One limiter that protects one thing, without a key and a look-up, always admitted or denied. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OneThingBench {
  /** Who decides. */
  public enum Protector {
    /** Sash, exact sliding log. */
    SASH_LOG("Sash, exact log"),
    /** Sash, sliding counter. */
    SASH_COUNTER("Sash, sliding counter"),
    /** Sash, fixed window. */
    SASH_FIXED("Sash, fixed window"),
    /** Sash, token bucket. */
    SASH_BUCKET("Sash, token bucket"),
    /** Guava's RateLimiter. */
    GUAVA("Guava RateLimiter"),
    /** Resilience4j's atomic rate limiter. */
    RESILIENCE4J("Resilience4j"),
    /** Bucket4j's local bucket. */
    BUCKET4J("Bucket4j");

    private final String label;

    Protector(String label) {
      this.label = label;
    }

    /** The name in reports. */
    String label() {
      return label;
    }
  }

  /** Who decides. */
  @Param public Protector protector = Protector.SASH_LOG;

  /** Whether permits suffice. */
  @Param public HotKeyBench.Path path = HotKeyBench.Path.ALLOWED;

  private BooleanSupplier limiter = () -> false;

  /** A fresh limiter, with its permit spent on the denied path. */
  @Setup
  public void setUp() {
    limiter = limiter(protector, path.permits(), path.window());
    var unused = limiter.getAsBoolean();
  }

  @SuppressWarnings("UnstableApiUsage")
  private static BooleanSupplier limiter(Protector protector, long permits, Duration window) {
    return switch (protector) {
      case SASH_LOG -> single(Limit.slidingLog(permits, window));
      case SASH_COUNTER -> single(Limit.slidingCounter(permits, window));
      case SASH_FIXED -> single(Limit.fixedWindow(permits, window));
      case SASH_BUCKET -> single(Limit.tokenBucket(permits, window));
      case GUAVA -> {
        RateLimiter guava = RateLimiter.create(permits * 1e9 / window.toNanos());
        yield guava::tryAcquire;
      }
      case RESILIENCE4J -> {
        AtomicRateLimiter resilience =
            new AtomicRateLimiter(
                "one",
                RateLimiterConfig.custom()
                    .limitForPeriod((int) permits)
                    .limitRefreshPeriod(window)
                    .timeoutDuration(Duration.ZERO)
                    .build());
        yield () -> resilience.acquirePermission(1);
      }
      case BUCKET4J -> {
        Bandwidth bandwidth =
            Bandwidth.builder().capacity(permits).refillGreedy(permits, window).build();
        Bucket bucket = Bucket.builder().addLimit(bandwidth).build();
        yield () -> bucket.tryConsume(1);
      }
    };
  }

  private static BooleanSupplier single(Limit limit) {
    KeyLimiter limiter = Sash.single(limit);
    return () -> limiter.tryAcquire().allowed();
  }

  /** The decision. */
  @Benchmark
  public boolean decide() {
    boolean allowed = limiter.getAsBoolean();
    if (allowed != (path == HotKeyBench.Path.ALLOWED)) {
      throw new IllegalStateException(protector + " left the path " + path);
    }
    return allowed;
  }
}
