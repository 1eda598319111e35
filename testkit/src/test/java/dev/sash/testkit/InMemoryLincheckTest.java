package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.KeyLimiter;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Operations of several threads on the same keys give results that they could have given one after
 * another. The limiter in a single thread is the specification; the other tests check that.
 * Policies do not change here: the limits of a request are resolved before the store is called, so
 * that a request in progress may still be decided by the old ones.
 *
 * <p>Stress only: Lincheck's model checker considers a thread that waits for a spin lock to be
 * hung, whatever bound it is given.
 */
class InMemoryLincheckTest {

  /** A log of 3 permits and a bucket of 4 that hold together, on a clock that stands still. */
  @Param(name = "permits", gen = IntGen.class, conf = "1:3")
  @Param(name = "key", gen = IntGen.class, conf = "0:1")
  public static class Limiter {
    private static final Policy POLICY =
        Policy.of("lincheck", Limit.parse("3/1m"), Limit.parse("4/1m token-bucket"));
    private static final Policy LOWER =
        Policy.of("lincheck", Limit.parse("2/1m"), Limit.parse("4/1m token-bucket"));

    private final InMemoryStore store =
        InMemoryStore.builder().clock(new ManualClock(1)).maxKeys(1).build();
    private final RateLimiter limiter = store.limiter(POLICY);
    private final RateLimiter lower = store.limiter(LOWER);
    private final RateLimiter other = limiter.withLimits(List.of(Limit.parse("2/1h")));
    private final KeyLimiter handle = limiter.forKey("key0");

    /** Acquires. */
    @Operation
    public String tryAcquire(@Param(name = "key") int key, @Param(name = "permits") int permits) {
      return text(limiter.tryAcquire("key" + key, permits));
    }

    /** Peeks. */
    @Operation
    public String peek(@Param(name = "key") int key) {
      return text(limiter.peek("key" + key));
    }

    /** Refunds. */
    @Operation
    public String refund(@Param(name = "key") int key, @Param(name = "permits") int permits) {
      return text(limiter.refund("key" + key, permits));
    }

    /** Charges. */
    @Operation
    public String charge(@Param(name = "key") int key, @Param(name = "permits") int permits) {
      return text(limiter.charge("key" + key, permits));
    }

    /** Acquires by a handle. */
    @Operation
    public String tryAcquireByHandle(@Param(name = "permits") int permits) {
      return text(handle.tryAcquire(permits));
    }

    /** Resets by a handle. */
    @Operation
    public void resetByHandle() {
      handle.reset();
    }

    /** Acquires under a limit of another kind. */
    @Operation
    public String tryAcquireUnderAnotherKind(@Param(name = "key") int key) {
      return text(other.tryAcquire("key" + key));
    }

    /** Resets. */
    @Operation
    public void reset(@Param(name = "key") int key) {
      limiter.reset("key" + key);
    }

    /** Acquires under lower limits of the same kinds. */
    @Operation
    public String tryAcquireUnderLowerLimits(@Param(name = "key") int key) {
      return text(lower.tryAcquire("key" + key));
    }

    private static String text(Decision decision) {
      return decision.toString();
    }
  }

  @Test
  void threadsThatRun() {
    new StressOptions()
        .iterations(20)
        .invocationsPerIteration(1_000)
        .threads(3)
        .actorsPerThread(3)
        .check(Limiter.class);
  }
}
