package dev.sash.servlet;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A store whose decisions arrive later, on another thread, when the test says so. */
final class PendingStore extends StoreDecorator {
  private final BlockingQueue<Runnable> pending = new LinkedBlockingQueue<>();
  private volatile boolean broken;

  PendingStore(Store store) {
    super(store);
  }

  RateLimiter limiter(String limit) {
    return limiter(Policy.of("test", Limit.parse(limit)));
  }

  int pending() {
    return pending.size();
  }

  /** Completes the oldest decisions, and waits until they are requested. */
  void decide(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      Runnable decision = pending.poll(10, TimeUnit.SECONDS);
      if (decision == null) {
        throw new AssertionError("only " + i + " of " + count + " decisions were requested");
      }
      Thread store = new Thread(decision, "store");
      store.start();
      store.join();
    }
  }

  /** Completes the oldest decision exceptionally. */
  void fail() throws InterruptedException {
    broken = true;
    decide(1);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    if (operation != Operation.ACQUIRE) {
      return store.decideAsync(operation, limits, key, permits);
    }
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(
        () -> {
          if (broken) {
            future.completeExceptionally(new IllegalStateException("broken on purpose"));
          } else {
            future.complete(store.decide(operation, limits, key, permits));
          }
        });
    return future;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    throw new AssertionError("a thread would wait");
  }
}
