package dev.sash.testkit;

import dev.sash.MicroClock;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import java.util.concurrent.CompletableFuture;

/**
 * The in-memory store while it drops idle keys, on another thread, whenever the clock moves: no
 * decision changes.
 */
class InMemoryForgettingTest extends ParityContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return InMemoryStore.builder().clock(impatient(clock)).maxKeys(1_000).build();
  }

  @Override
  protected long decisions() {
    return 100_000;
  }

  /** Every wait ends with the next tick: there is no pause between two sweeps. */
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
