package dev.sash.testkit;

import dev.sash.MicroClock;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Store;
import java.util.concurrent.CompletableFuture;

/** The in-memory store without the sweeps of its background task. */
class InMemoryParityTest extends ParityContract {
  @Override
  protected Store newStore(ManualClock clock) {
    return InMemoryStore.builder().clock(withoutAlarms(clock)).build();
  }

  /** Returns a clock on which no wait ever ends. */
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
