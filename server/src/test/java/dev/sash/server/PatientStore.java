package dev.sash.server;

import dev.sash.Decision;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Gives the decorated store more time than any policy allows, so that tests that count decisions of
 * Redis do not depend on how busy the machine is.
 */
public final class PatientStore extends StoreDecorator {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  public PatientStore(Store store) {
    super(store);
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decide(operation, patient(limits), key, permits);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    return store.decideAsync(operation, patient(limits), key, permits);
  }

  private static ResolvedLimits patient(ResolvedLimits limits) {
    return new ResolvedLimits(limits.policy().withDeadline(PATIENCE), limits.limits());
  }
}
