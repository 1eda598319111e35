package dev.sash;

import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers when the test says so, and records what it was asked to do. */
final class LateStore extends StoreDecorator {
  private final Queue<Runnable> pending = new ArrayDeque<>();
  final List<String> log = new ArrayList<>();
  RuntimeException failure;

  LateStore(Store store) {
    super(store);
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
    log.add(operation + " " + permits);
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(
        () -> {
          if (failure == null) {
            future.complete(store.decide(operation, limits, key, permits));
          } else {
            future.completeExceptionally(failure);
          }
        });
    return future;
  }
}
