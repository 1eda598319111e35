package dev.sash.benchmarks;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One key that all threads use, always admitted or always denied. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HotKeyBench {
  private static final String KEY = "user:4711";

  /** Whether permits suffice. */
  public enum Path {
    /** A million permits per millisecond: more than any caller can spend. */
    ALLOWED(1_000_000, Duration.ofMillis(1)),
    /** One permit a day, spent. */
    DENIED(1, Duration.ofDays(1));

    private final long permits;
    private final Duration window;

    Path(long permits, Duration window) {
      this.permits = permits;
      this.window = window;
    }

    long permits() {
      return permits;
    }

    Duration window() {
      return window;
    }
  }

  /** Who answers. */
  @Param public Contender contender = Contender.SASH_LOG;

  /** What is answered. */
  @Param public Path path = Path.ALLOWED;

  private Asked asked = key -> false;

  /** A fresh limiter, with its permit spent on the denied path. */
  @Setup
  public void setUp() {
    asked = contender.limiter(path.permits, path.window);
    asked.tryAcquire(KEY);
  }

  /** The decision. */
  @Benchmark
  public boolean decide() {
    boolean allowed = asked.tryAcquire(KEY);
    if (allowed != (path == Path.ALLOWED)) {
      throw new IllegalStateException(contender + " left the path " + path);
    }
    return allowed;
  }

  /** What every limiter pays at least: reading the clock. */
  @State(Scope.Benchmark)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public static class Floor {
    private final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();

    /** One entry. */
    @Setup
    public void setUp() {
      map.put(KEY, KEY);
    }

    /** Reading the clock. */
    @Benchmark
    public long nanoTime() {
      return System.nanoTime();
    }

    /** Finding the key. */
    @Benchmark
    public String mapGet() {
      return String.valueOf(map.get(KEY));
    }
  }
}
