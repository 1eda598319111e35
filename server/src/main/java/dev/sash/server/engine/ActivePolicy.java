package dev.sash.server.engine;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.address.IpAddress;
import dev.sash.config.ChargeRule;
import dev.sash.config.Cost;
import dev.sash.config.Mode;
import dev.sash.config.PolicyConfig;
import dev.sash.store.Decisions;
import dev.sash.store.ResolvedLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A policy in force, and the limiter that counts for it. Immutable, but for what is counted. */
final class ActivePolicy {
  /** An operation on a key. */
  private interface Call extends BiFunction<RateLimiter, String, CompletionStage<Decision>> {}

  /** The limits of a tier, and the limiter that decides by them. */
  private record Tier(List<Limit> limits, RateLimiter limiter) {}

  private final PolicyConfig config;
  private final Tier untiered;
  private final Map<String, Tier> tiers = new HashMap<>();

  /**
   * Creates a policy in force.
   *
   * @param config the configuration of the policy
   * @param limiter decides by its limits without a tier
   */
  ActivePolicy(PolicyConfig config, RateLimiter limiter) {
    this.config = config;
    this.untiered = new Tier(config.policy().limits(), limiter);
    config
        .tiers()
        .forEach((name, limits) -> tiers.put(name, new Tier(limits, limiter.withLimits(limits))));
  }

  PolicyConfig config() {
    return config;
  }

  CompletionStage<Answer> check(Question question, Duration deadline) {
    long permits = permits(question);
    boolean always = config.charge() == ChargeRule.ALWAYS && permits > 0;
    return answer(
        question,
        permits,
        deadline,
        (limiter, key) ->
            always ? limiter.chargeAsync(key, permits) : limiter.tryAcquireAsync(key, permits));
  }

  CompletionStage<Answer> refund(Question question, @Nullable Decision charged, Duration deadline) {
    long permits = permits(question);
    return answer(
        question,
        permits,
        deadline,
        (limiter, key) ->
            charged == null
                ? limiter.refundAsync(key, permits)
                : limiter.refundAsync(key, permits, charged));
  }

  CompletionStage<Void> reset(Question question) {
    Tier tier = tier(question);
    return tier.limiter.resetAsync(key(question));
  }

  private CompletionStage<Answer> answer(
      Question question, long permits, Duration deadline, Call call) {
    String key = key(question);
    Tier tier = tier(question);
    Reason listed = listed(question, key);
    if (listed != null) {
      Decision decision = unspent(tier.limits, listed == Reason.DENY_LIST);
      return CompletableFuture.completedStage(
          new Answer(
              decision.allowed(), listed, config.name(), tier.limits, key, permits, decision));
    }
    boolean shadow = config.mode() == Mode.SHADOW;
    return call.apply(limiter(tier, deadline), key)
        .thenApply(
            decision ->
                new Answer(
                    shadow || decision.allowed(),
                    shadow ? Reason.SHADOW : Reason.LIMIT,
                    config.name(),
                    tier.limits,
                    key,
                    permits,
                    decision));
  }

  private RateLimiter limiter(Tier tier, Duration deadline) {
    boolean longer = deadline.compareTo(config.policy().deadline()) >= 0;
    return longer ? tier.limiter : tier.limiter.withDeadline(deadline);
  }

  private @Nullable Reason listed(Question question, String key) {
    if (config.mode() == Mode.OFF) {
      return Reason.OFF;
    }
    IpAddress address = Attributes.address(question.attributes());
    if (config.deny().contains(key, address) && config.mode() == Mode.ENFORCE) {
      return Reason.DENY_LIST;
    }
    return config.allow().contains(key, address) ? Reason.ALLOW_LIST : null;
  }

  /** Returns the decision about a key of which nothing is known. */
  private Decision unspent(List<Limit> limits, boolean denied) {
    Limit least = new ResolvedLimits(config.policy(), limits).lowest();
    return denied
        ? Decisions.neverAllowed(least, 0, 0, 0, Source.STORE)
        : Decisions.allowed(least, 0, least.capacity(), 0, Source.STORE);
  }

  private String key(Question question) {
    if (question.key() != null) {
      return question.key();
    }
    return Attributes.key(config, question.attributes());
  }

  private Tier tier(Question question) {
    if (tiers.isEmpty()) {
      return untiered;
    }
    String tier = question.attributes().get(config.tierAttribute());
    return tier == null ? untiered : tiers.getOrDefault(tier, untiered);
  }

  private long permits(Question question) {
    if (question.permits() != null) {
      return question.permits();
    }
    Cost cost = config.cost();
    String told = cost.attribute() == null ? null : question.attributes().get(cost.attribute());
    return told == null ? cost.permits() : Math.min(cost.most(), Attributes.cost(cost, told));
  }
}
