package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Operations of several threads on the same keys give answers that they could have given one after
 * another. The limiter alone, without threads, is the specification: that it decides rightly then
 * is for the other tests.
 *
 * <p>Stress only: Lincheck's model checker takes a thread that stays away from a held lock for a
 * hung one, whatever bound it is given.
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

    private final RateLimiter limiter =
        InMemoryStore.builder().clock(new ManualClock(1)).maxKeys(1).build().limiter(POLICY);

    /** Spends. */
    @Operation
    public String tryAcquire(@Param(name = "key") int key, @Param(name = "permits") int permits) {
      return told(limiter.tryAcquire("key" + key, permits));
    }

    /** Looks. */
    @Operation
    public String peek(@Param(name = "key") int key) {
      return told(limiter.peek("key" + key));
    }

    /** Gives back. */
    @Operation
    public String refund(@Param(name = "key") int key, @Param(name = "permits") int permits) {
      return told(limiter.refund("key" + key, permits));
    }

    /** Forgets. */
    @Operation
    public void reset(@Param(name = "key") int key) {
      limiter.reset("key" + key);
    }

    /** Changes the limits. */
    @Operation
    public void lower() {
      limiter.changePolicy(LOWER);
    }

    private static String told(Decision decision) {
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
