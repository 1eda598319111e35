package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes every call of the store an observation: a child of the current observation of the calling
 * thread, which stops when the decision arrives. What the store does on the calling thread is in
 * its scope; what depends on an asynchronous decision is not.
 */
final class ObservedStore extends StoreDecorator {
  private final ObservationRegistry registry;

  ObservedStore(Store store, ObservationRegistry registry) {
    super(store);
    this.registry = registry;
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    Observation observation = observation(operation, limits.policy());
    return Objects.requireNonNull(
        observation.observe(
            () -> {
              Decision decision = store.decide(operation, limits, key, permits);
              describe(observation, operation, decision);
              return decision;
            }));
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    Observation observation = observation(operation, limits.policy()).start();
    CompletionStage<Decision> stage =
        observation.scoped(() -> store.decideAsync(operation, limits, key, permits));
    return Objects.requireNonNull(stage)
        .whenComplete(
            (decision, failure) -> {
              if (decision != null) {
                describe(observation, operation, decision);
              }
              stop(observation, failure);
            });
  }

  /** Lets the decorated store prepare for the policy. */
  @Override
  public RateLimiter limiter(Policy policy) {
    var unused = store.limiter(policy);
    return super.limiter(policy);
  }

  private Observation observation(Operation operation, Policy policy) {
    String name = nameOf(operation);
    Observation observation =
        Observation.createNotStarted("sash." + name, registry)
            .contextualName("sash " + name + " " + policy.name())
            .lowCardinalityKeyValue("policy", policy.name());
    // Without a decision, the observation has the same keys.
    return hasOutcome(operation)
        ? observation
            .lowCardinalityKeyValue("outcome", "none")
            .lowCardinalityKeyValue("source", "none")
        : observation;
  }

  private static String nameOf(Operation operation) {
    return switch (operation) {
      case ACQUIRE -> "acquire";
      case PEEK -> "peek";
      case REFUND, REFUND_LOCAL -> "refund";
      case CHARGE -> "charge";
      case RESET -> "reset";
      case INSPECT -> "inspect";
    };
  }

  private static boolean hasOutcome(Operation operation) {
    return operation != Operation.RESET;
  }

  private static void describe(Observation observation, Operation operation, Decision decision) {
    if (hasOutcome(operation)) {
      observation
          .lowCardinalityKeyValue("outcome", TagValues.outcome(decision.allowed()))
          .lowCardinalityKeyValue("source", TagValues.source(decision.source()));
    }
  }

  private static void stop(Observation observation, @Nullable Throwable failure) {
    if (failure != null) {
      boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
      observation.error(wrapped ? Objects.requireNonNull(failure.getCause()) : failure);
    }
    observation.stop();
  }
}
