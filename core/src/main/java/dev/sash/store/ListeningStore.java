package dev.sash.store;

import dev.sash.Decision;
import dev.sash.DecisionListener;
import dev.sash.Policy;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a listener after every acquisition and peek. */
public final class ListeningStore extends StoreDecorator {
  private static final Logger LOG = LoggerFactory.getLogger(ListeningStore.class);

  private final DecisionListener listener;
  private final AtomicBoolean failed = new AtomicBoolean();

  /**
   * Creates a decorator.
   *
   * @param store decides
   * @param listener is called
   */
  public ListeningStore(Store store, DecisionListener listener) {
    super(store);
    this.listener = Objects.requireNonNull(listener, "listener must not be null");
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Decision decision = store.decide(operation, limits, key, permits);
    notify(operation, limits.policy(), key, permits, decision);
    return decision;
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return store
        .decideAsync(operation, limits, key, permits)
        .thenApply(
            decision -> {
              notify(operation, limits.policy(), key, permits, decision);
              return decision;
            });
  }

  private void notify(
      Operation operation, Policy policy, String key, long permits, Decision decision) {
    if (operation != Operation.ACQUIRE && operation != Operation.PEEK) {
      return;
    }
    try {
      listener.onDecision(policy, key, permits, decision);
    } catch (RuntimeException e) {
      if (failed.compareAndSet(false, true)) {
        LOG.warn(
            "Listener of policy '{}' failed; further failures are not logged", policy.name(), e);
      }
    }
  }
}
