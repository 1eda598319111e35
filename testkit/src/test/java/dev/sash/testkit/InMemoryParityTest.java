package dev.sash.testkit;

import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import java.util.concurrent.CompletableFuture;

/**
 * The in-memory store while it forgets nothing, so that it can be asked anything: the keys of a
 * schedule lie in segments of their own, and the cleaning up never comes.
 */
class InMemoryParityTest extends ParityContract {
  @Override
  protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
    return InMemoryStore.builder().clock(withoutAlarms(clock)).build().limiter(policy);
  }

  /** Nothing that is to happen later ever does. */
  static MicroClock withoutAlarms(ManualClock clock) {
    return new MicroClock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public CompletableFuture<Void> after(long micros) {
        return new CompletableFuture<>();
      }
    };
  }
}
