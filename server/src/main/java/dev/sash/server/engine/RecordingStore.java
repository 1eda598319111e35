package dev.sash.server.engine;

import dev.sash.Decision;
import dev.sash.server.statistics.Statistics;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what limits decide about requests for permits, over any protocol; not peeks, refunds and
 * resets. A failure of the statistics never changes or loses a decision.
 */
final class RecordingStore extends StoreDecorator {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingStore.class);

  private final Statistics statistics;
  private final boolean shadow;
  private final AtomicBoolean failed = new AtomicBoolean();

  /**
   * Creates a decorator.
   *
   * @param store decides
   * @param statistics records
   * @param shadow whether requests are admitted even if they are denied
   */
  RecordingStore(Store store, Statistics statistics, boolean shadow) {
    super(store);
    this.statistics = statistics;
    this.shadow = shadow;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Decision decision = store.decide(operation, limits, key, permits);
    return isRecorded(operation, permits) ? recorded(limits, key, permits, decision) : decision;
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    CompletionStage<Decision> stage = store.decideAsync(operation, limits, key, permits);
    if (!isRecorded(operation, permits)) {
      return stage;
    }
    if (stage instanceof CompletableFuture<Decision> future
        && future.isDone()
        && !future.isCompletedExceptionally()) {
      recorded(limits, key, permits, future.join()); // as always in memory: no stage is made for it
      return stage;
    }
    return stage.thenApply(decision -> recorded(limits, key, permits, decision));
  }

  private static boolean isRecorded(Operation operation, long permits) {
    return permits > 0 && (operation == Operation.ACQUIRE || operation == Operation.CHARGE);
  }

  private Decision recorded(ResolvedLimits limits, String key, long permits, Decision decision) {
    try {
      statistics.record(limits.policy().name(), shadow, key, permits, decision);
    } catch (RuntimeException e) {
      if (failed.compareAndSet(false, true)) {
        LOG.warn("Statistics failed; further failures are not logged", e);
      }
    }
    return decision;
  }
}
