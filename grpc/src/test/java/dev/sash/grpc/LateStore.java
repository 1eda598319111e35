package dev.sash.grpc;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/** A store that decides at once, and whose decisions arrive when the test says so. */
final class LateStore extends StoreDecorator {
  /** Counted down when permits have been refunded. */
  final CountDownLatch refunded = new CountDownLatch(1);

  /** Decisions arrive when it is completed. */
  final CompletableFuture<Void> arrival = new CompletableFuture<>();

  LateStore(Store store) {
    super(store);
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    throw new AssertionError("a thread would wait");
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    CompletionStage<Decision> decision = store.decideAsync(operation, limits, key, permits);
    if (operation == Operation.REFUND || operation == Operation.REFUND_LOCAL) {
      refunded.countDown();
      return decision;
    }
    return arrival.thenCompose(arrived -> decision);
  }
}
