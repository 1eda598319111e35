package dev.sash.server.engine;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.config.policy.ChargeRule;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.override.Effect;
import dev.sash.server.statistics.Statistics;
import dev.sash.store.Decisions;
import dev.sash.store.ResolvedLimits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A request under one policy, with everything that the policy makes of it.
 *
 * @param policy the policy's name in results
 * @param config the policy
 * @param limiter decides by the limits
 * @param limits the limits of the tier or of an override
 * @param key the key to charge
 * @param permits the cost; 0 to peek
 * @param listed why the limits do not decide; null if they do
 * @param override what an override does to the request; null if none applies
 * @param statistics records what the limits do not decide; null if nothing does
 */
record PolicyCharge(
    String policy,
    PolicyConfig config,
    RateLimiter limiter,
    List<Limit> limits,
    String key,
    long permits,
    @Nullable Reason listed,
    @Nullable Effect override,
    @Nullable Statistics statistics)
    implements AllOrNothing.Part {
  @Override
  public boolean isBinding() {
    return config.mode() != Mode.SHADOW;
  }

  @Override
  public boolean isAlwaysCharged() {
    return config.charge() == ChargeRule.ALWAYS && listed == null;
  }

  /** Acquires the permits if they fit. */
  CompletionStage<CheckResult> tryAcquire() {
    return tryAcquire(permits).thenApply(this::answer);
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long howMany) {
    if (listed != null) {
      Decision decision = uncharged(listed.isDenial());
      if (statistics != null && howMany > 0) {
        statistics.recordListed(policy, false, key, howMany, decision);
      }
      return CompletableFuture.completedStage(decision);
    }
    return isAlwaysCharged() && howMany > 0
        ? limiter.chargeAsync(key, howMany)
        : limiter.tryAcquireAsync(key, howMany);
  }

  @Override
  public CompletionStage<Decision> refund(Decision charged) {
    return listed == null
        ? limiter.refundAsync(key, permits, charged)
        : CompletableFuture.completedStage(charged);
  }

  /** Gives the permits back to the store. */
  CompletionStage<Decision> refund() {
    return listed == null
        ? limiter.refundAsync(key, permits)
        : CompletableFuture.completedStage(uncharged(listed.isDenial()));
  }

  /** Returns what acquiring the permits would return now, and why. */
  CompletionStage<CheckResult> explain() {
    return (listed == null
            ? limiter.inspectAsync(key, permits)
            : CompletableFuture.completedStage(uncharged(listed.isDenial())))
        .thenApply(this::answer);
  }

  /** Forgets the key. */
  CompletionStage<Void> reset() {
    return limiter.resetAsync(key);
  }

  /** Returns the decision on a key to which nothing is charged. */
  private Decision uncharged(boolean denied) {
    Limit least = new ResolvedLimits(config.policy(), limits).lowest();
    return denied
        ? Decisions.neverAllowed(least, 0, 0, 0, Source.STORE)
        : Decisions.allowed(least, 0, least.capacity(), 0, Source.STORE);
  }

  /** Returns the answer that a decision of this policy gives. */
  CheckResult answer(Decision decision) {
    Reason reason = listed == null ? (isBinding() ? Reason.LIMIT : Reason.SHADOW) : listed;
    boolean allowed = decision.allowed() || reason == Reason.SHADOW;
    return new CheckResult(allowed, reason, policy, limits, key, permits, decision, override);
  }
}
