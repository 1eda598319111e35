package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A store that returns the decision that the test sets, when the test sets it. */
final class StubStore implements Store {
  static final Limit LIMIT = Limit.parse("10/1s");
  static final Policy POLICY = Policy.of("stub", LIMIT);

  /** The result of every operation. */
  volatile CompletableFuture<Decision> result = new CompletableFuture<>();

  /** Runs inside every call. */
  volatile Runnable inCall = () -> {};

  static Decision allowed(Decision.Source source) {
    return Decisions.allowed(LIMIT, 1, 9, 1_000_000, source);
  }

  static Decision denied(Decision.Source source) {
    return Decisions.denied(LIMIT, 10, 0, 500_000, 1_000_000, source);
  }

  /** Returns a limiter of the instrumented store. */
  RateLimiter limiter(SashMeters meters) {
    return meters.instrument(this).limiter(POLICY);
  }

  void returns(Decision decision) {
    result = CompletableFuture.completedFuture(decision);
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    try {
      return decideAsync(operation, limits, key, permits).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    inCall.run();
    return result;
  }
}
