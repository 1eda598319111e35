package dev.sash.benchmarks;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.memory.InMemoryStore;
import dev.sash.micrometer.SashMeters;
import dev.sash.store.Store;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What meters add to a decision in memory. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MetersBench {
  /** What is measured of a decision. */
  public enum Meters {
    /** Nothing. */
    NONE,
    /** All but the latency, which a filter denies. */
    UNTIMED,
    /** Everything. */
    ALL
  }

  /** What is measured. */
  @Param public Meters meters = Meters.ALL;

  private RateLimiter limiter = Sash.inMemory(Limit.parse("1/1s"));

  /** A limiter with more permits than callers can spend. */
  @Setup
  public void setUp() {
    Store bare = InMemoryStore.create();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    if (meters == Meters.UNTIMED) {
      registry.config().meterFilter(MeterFilter.denyNameStartsWith("sash.store.latency"));
    }
    Store store = meters == Meters.NONE ? bare : new SashMeters(registry).instrument(bare);
    limiter = store.limiter(Policy.of("api", Limit.parse("1_000_000/1ms")));
  }

  /** The decision. */
  @Benchmark
  public Decision decide() {
    return limiter.tryAcquire("user:4711");
  }
}
