package dev.sash.http;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers when the test says so. */
final class LateStore extends StoreDecorator {
  private final Queue<Runnable> pending = new ArrayDeque<>();

  LateStore(Store store) {
    super(store);
  }

  /** Returns a store whose acquisitions all have the same result, whatever is charged. */
  static Store always(Store store, Decision decision) {
    return new StoreDecorator(store) {
      @Override
      public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
        return operation == Operation.ACQUIRE
            ? decision
            : store.decide(operation, limits, key, permits);
      }
    };
  }

  /** Answers the oldest request; returns false if there is none. */
  boolean answer() {
    Runnable next = pending.poll();
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    throw new AssertionError("a thread would wait");
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(() -> future.complete(store.decide(operation, limits, key, permits)));
    return future;
  }
}
