package dev.sash.testkit;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.Schedule.Conditions;
import java.util.concurrent.CompletableFuture;

/**
 * The in-memory store forgetting idle keys, on another thread, whenever the clock moves: nobody
 * must notice.
 */
class InMemoryForgettingTest extends ParityContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return InMemoryStore.builder().clock(impatient(clock)).maxKeys(1_000).build().limiter(policy);
  }

  @Override
  protected long decisions() {
    return 100_000;
  }

  @Override
  protected Conditions conditions() {
    return new Conditions(true, 1L << 52);
  }

  /** Every wait is over with the next tick: there is no pause between two cleanings up. */
  private static MicroClock impatient(ManualClock clock) {
    return new MicroClock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public CompletableFuture<Void> after(long micros) {
        return clock.after(1);
      }
    };
  }
}
