package dev.sash.spring;

import dev.sash.Decision;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreDecorator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A store that acquires permits on a thread named store, when the test calls {@link #decide()}. */
final class LateStore extends StoreDecorator {
  private final BlockingQueue<Runnable> pending = new LinkedBlockingQueue<>();

  LateStore() {
    super(InMemoryStore.create());
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    if (operation == Operation.ACQUIRE) {
      throw new AssertionError("the calling thread would wait");
    }
    return store.decide(operation, limits, key, permits);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    if (operation != Operation.ACQUIRE) {
      return store.decideAsync(operation, limits, key, permits);
    }
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(() -> future.complete(store.decide(operation, limits, key, permits)));
    return future;
  }

  int pending() {
    return pending.size();
  }

  /** Makes the oldest pending decision, after waiting for one. */
  void decide() throws InterruptedException {
    Runnable decision = pending.poll(10, TimeUnit.SECONDS);
    if (decision == null) {
      throw new AssertionError("no decision was requested");
    }
    Thread thread = new Thread(decision, "store");
    thread.start();
    thread.join();
  }
}
