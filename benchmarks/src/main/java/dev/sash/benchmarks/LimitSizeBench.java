package dev.sash.benchmarks;

import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.memory.InMemoryStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The exact log full to its limit, whatever the limit is: one permit leaves with each that comes.
 * The clock is read as always, but what it says is counted, so that the log stays just full.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LimitSizeBench {
  private static final String KEY = "user:4711";
  private static final Duration WINDOW = Duration.ofMinutes(1);

  /** How large the limit is. */
  @Param({"10", "1000", "100000", "1000000"})
  public long permits;

  /** Whether the log has room: 1 admits every request, 0 denies every request. */
  @Param({"true", "false"})
  public boolean room;

  private RateLimiter limiter = Sash.inMemory(Limit.slidingLog(1, WINDOW));

  /** A full log. */
  @Setup
  public void setUp() {
    SteppingClock clock = new SteppingClock();
    limiter =
        InMemoryStore.builder()
            .clock(clock)
            .build()
            .limiter(Policy.of("bench", Limit.slidingLog(permits, WINDOW)));
    long step = TimeUnit.NANOSECONDS.toMicros(WINDOW.toNanos()) / permits;
    clock.step = step;
    for (int i = 0; i < permits; i++) {
      limiter.tryAcquire(KEY);
    }
    clock.step = room ? step : 0;
  }

  /** The decision. */
  @Benchmark
  public boolean decide() {
    return limiter.tryAcquire(KEY).allowed();
  }

  private static final class SteppingClock implements MicroClock {
    private long step;
    private long micros;
    private long seen;

    @Override
    public long micros() {
      seen += System.nanoTime();
      return micros += step;
    }

    @Override
    public String toString() {
      return "at " + micros + ", " + seen;
    }
  }
}
