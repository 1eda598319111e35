package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store whose clock records how long callers wait. */
final class PausesOf extends StoreDecorator {
  private record Pause(long micros, CompletableFuture<Void> future) {}

  private final List<Pause> pauses = new ArrayList<>();

  PausesOf(Store store) {
    super(store);
  }

  /** Returns the length of each wait, in microseconds. */
  synchronized List<Long> pauses() {
    return pauses.stream().map(Pause::micros).toList();
  }

  /** Returns how many waits have neither ended nor been cancelled. */
  synchronized int pending() {
    return (int) pauses.stream().filter(pause -> !pause.future.isDone()).count();
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decide(operation, limits, key, permits);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decideAsync(operation, limits, key, permits);
  }

  @Override
  public MicroClock clock() {
    MicroClock clock = store.clock();
    return new MicroClock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public CompletableFuture<Void> after(long micros) {
        synchronized (PausesOf.this) {
          Pause pause = new Pause(micros, clock.after(micros));
          pauses.add(pause);
          return pause.future;
        }
      }
    };
  }

  @Override
  public String toString() {
    return "pauses " + pauses() + ", pending " + pending();
  }
}
