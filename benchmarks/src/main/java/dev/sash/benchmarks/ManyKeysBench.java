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

/** Keys at random, 100 permits per minute each: what the caches do not hold decides. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManyKeysBench {
  /** Who answers. */
  @Param public Contender contender = Contender.SASH_LOG;

  /** For how many keys. */
  @Param({"65536", "1000000"})
  public int keys;

  private Asked asked = key -> false;

  /** A limiter that has seen every key once. */
  @Setup
  public void setUp(Keys all) {
    asked = contender.limiter(100, Duration.ofMinutes(1));
    for (String key : all.names) {
      asked.tryAcquire(key);
    }
  }

  /** The decision. */
  @Benchmark
  public boolean decide(Keys all, Dice dice) {
    return asked.tryAcquire(all.names[dice.roll(all.names.length)]);
  }

  /** A bare look-up in a map with the same number of keys. */
  @State(Scope.Benchmark)
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.NANOSECONDS)
  public static class Floor {
    /** How many keys. */
    @Param({"65536", "1000000"})
    public int keys;

    private final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();

    /** Every key to itself. */
    @Setup
    public void setUp(Keys all) {
      for (String key : all.names) {
        map.put(key, key);
      }
    }

    /** Finding a key and reading the clock, which the processor does not start before that. */
    @Benchmark
    public long mapGetAndClock(Keys all, Dice dice) {
      String found = map.get(all.names[dice.roll(all.names.length)]);
      return System.nanoTime() + (found == null ? 0 : 1);
    }

    /** Finding a key. */
    @Benchmark
    public String mapGet(Keys all, Dice dice) {
      return String.valueOf(map.get(all.names[dice.roll(all.names.length)]));
    }
  }

  /** The keys' names. */
  @State(Scope.Benchmark)
  public static class Keys {
    /** How many. */
    @Param({"65536", "1000000"})
    public int keys;

    String[] names = {};

    /** Names like those of users. */
    @Setup
    public void setUp() {
      names = names(keys);
    }

    static String[] names(int count) {
      String[] names = new String[count];
      for (int i = 0; i < count; i++) {
        names[i] = "user:" + (1_000_000 + i);
      }
      return names;
    }
  }

  /** Random numbers, a few cycles each (xorshift), one sequence per thread. */
  @State(Scope.Thread)
  public static class Dice {
    private long state = (Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) | 1;

    int roll(int sides) {
      state ^= state << 13;
      state ^= state >>> 7;
      state ^= state << 17;
      return (int) (((state >>> 33) * sides) >>> 31);
    }
  }
}
