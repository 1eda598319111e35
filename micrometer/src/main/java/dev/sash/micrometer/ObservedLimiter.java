package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A limiter whose calls are observations: children of what is observed on the calling thread, and
 * over when the answer is there. What the store does on the calling thread happens in their scope;
 * what depends on an asynchronous answer does not.
 */
final class ObservedLimiter extends ForwardingLimiter {
  private final ObservationRegistry registry;
  private final String policy;

  ObservedLimiter(RateLimiter limiter, ObservationRegistry registry) {
    super(limiter);
    this.registry = registry;
    this.policy = limiter.policy().name();
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return decision(acquiring(permits), () -> limiter.tryAcquire(key, permits));
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return decisionAsync(acquiring(permits), () -> limiter.tryAcquireAsync(key, permits));
  }

  @Override
  public Decision refund(String key, long permits) {
    return decision("refund", () -> limiter.refund(key, permits));
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return decisionAsync("refund", () -> limiter.refundAsync(key, permits));
  }

  @Override
  public void reset(String key) {
    observation("reset").observe(() -> limiter.reset(key));
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    Observation observation = observation("reset").start();
    return call(observation, () -> limiter.resetAsync(key))
        .whenComplete((done, failure) -> stop(observation, failure));
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new ObservedLimiter(limiter.under(limits), registry);
  }

  private static String acquiring(long permits) {
    return permits == 0 ? "peek" : "acquire";
  }

  private Observation observation(String operation) {
    return Observation.createNotStarted("sash." + operation, registry)
        .contextualName("sash " + operation + " " + policy)
        .lowCardinalityKeyValue("policy", policy);
  }

  /** Of what will be answered by a decision: without one, it has the same keys all the same. */
  private Observation decisive(String operation) {
    return observation(operation)
        .lowCardinalityKeyValue("outcome", "none")
        .lowCardinalityKeyValue("source", "none");
  }

  private Decision decision(String operation, Supplier<Decision> call) {
    Observation observation = decisive(operation);
    return Objects.requireNonNull(
        observation.observe(
            () -> {
              Decision decision = call.get();
              describe(observation, decision);
              return decision;
            }));
  }

  private CompletionStage<Decision> decisionAsync(
      String operation, Supplier<CompletionStage<Decision>> call) {
    Observation observation = decisive(operation).start();
    return call(observation, call)
        .whenComplete(
            (decision, failure) -> {
              if (decision != null) {
                describe(observation, decision);
              }
              stop(observation, failure);
            });
  }

  private static <T> CompletionStage<T> call(
      Observation observation, Supplier<CompletionStage<T>> call) {
    try {
      return Objects.requireNonNull(observation.scoped(call));
    } catch (RuntimeException | Error e) {
      observation.stop(); // it knows the error
      throw e;
    }
  }

  private static void describe(Observation observation, Decision decision) {
    observation
        .lowCardinalityKeyValue("outcome", Words.outcome(decision.allowed()))
        .lowCardinalityKeyValue("source", Words.source(decision.source()));
  }

  private static void stop(Observation observation, @Nullable Throwable failure) {
    if (failure != null) {
      boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
      observation.error(wrapped ? Objects.requireNonNull(failure.getCause()) : failure);
    }
    observation.stop();
  }
}
