package dev.sash.server.rls.counter;

import dev.sash.Decision;
import dev.sash.config.envoy.EnvoyUnit;
import dev.sash.server.engine.CheckRequest;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Engine;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Counts by a policy.
 *
 * @param engine counts
 * @param time in which the store must have answered
 * @param policy the policy's name
 * @param key for whom; null if the policy makes the key
 * @param attributes the descriptor's entries
 */
public record PolicyCounter(
    Engine engine,
    TimeLimit time,
    String policy,
    @Nullable String key,
    Map<String, String> attributes)
    implements Counter {
  @Override
  public CompletionStage<Decision> tryAcquire(long permits) {
    return engine.check(request(permits), time.left()).thenApply(CheckResult::decision);
  }

  /** The policy itself says whether it is charged always. */
  @Override
  public CompletionStage<Decision> charge(long permits) {
    return tryAcquire(permits);
  }

  @Override
  public CompletionStage<Decision> refund(long permits, @Nullable Decision charged) {
    return engine.refund(request(permits), charged, time.left()).thenApply(CheckResult::decision);
  }

  private CheckRequest request(long permits) {
    return new CheckRequest(policy, key, permits, attributes);
  }

  @Override
  public CurrentLimit limit(Decision decision) {
    return new CurrentLimit(decision.limit(), unit(decision.decidedBy().window()), policy);
  }

  private static int unit(Duration window) {
    for (EnvoyUnit unit : EnvoyUnit.values()) {
      if (unit.window().equals(window)) {
        return unit.number();
      }
    }
    return 0;
  }
}
