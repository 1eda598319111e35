package dev.sash.server.engine;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.address.IpAddress;
import dev.sash.config.Cost;
import dev.sash.config.Mode;
import dev.sash.config.PolicyConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A policy in force, and the limiter that counts for it. Immutable, but for what is counted. */
final class ActivePolicy {
  /** A call of a limiter. */
  private interface Call extends BiFunction<RateLimiter, String, CompletionStage<Decision>> {}

  /**
   * The limits of a tier, and what decides by them.
   *
   * @param ownKeys whether keys have counts of their own here. In memory a key has one set of
   *     limits at a time: whoever could change tiers at will would start afresh with each change
   */
  private record Tier(List<Limit> limits, RateLimiter limiter, boolean ownKeys) {
    String spender(String key) {
      return ownKeys ? Engine.keyUnder(key, limits) : key;
    }
  }

  private final PolicyConfig config;
  private final Tier untiered;
  private final Map<String, Tier> tiers = new HashMap<>();

  /**
   * A policy.
   *
   * @param config what is configured
   * @param limiter counts for the policy, by its limits without a tier
   */
  ActivePolicy(PolicyConfig config, RateLimiter limiter) {
    this.config = config;
    List<Limit> common = config.policy().limits();
    this.untiered = new Tier(common, limiter, false);
    config
        .tiers()
        .forEach(
            (name, limits) ->
                tiers.put(
                    name, new Tier(limits, limiter.under(limits), !shareState(common, limits))));
  }

  /** Whether the limits differ in nothing but permits. */
  private static boolean shareState(List<Limit> some, List<Limit> others) {
    boolean same = some.size() == others.size();
    for (int i = 0; same && i < some.size(); i++) {
      same = some.get(i).sharesStateWith(others.get(i));
    }
    return same;
  }

  PolicyConfig config() {
    return config;
  }

  RateLimiter limiter() {
    return untiered.limiter;
  }

  CompletionStage<Answer> check(Question question) {
    long permits = permits(question);
    return answer(question, permits, (limiter, key) -> limiter.tryAcquireAsync(key, permits));
  }

  CompletionStage<Answer> refund(Question question) {
    long permits = permits(question);
    return answer(question, permits, (limiter, key) -> limiter.refundAsync(key, permits));
  }

  CompletionStage<Void> reset(Question question) {
    Tier tier = tier(question);
    return tier.limiter.resetAsync(tier.spender(key(question)));
  }

  private CompletionStage<Answer> answer(Question question, long permits, Call call) {
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
    return call.apply(tier.limiter, tier.spender(key))
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

  /** What limits say of somebody of whom they know nothing. */
  private static Decision unspent(List<Limit> limits, boolean denied) {
    Limit least = limits.get(0);
    for (Limit limit : limits) {
      least = limit.capacity() < least.capacity() ? limit : least;
    }
    return denied
        ? Decision.impossible(least, 0, 0, 0, Source.STORE)
        : Decision.allowed(least, 0, least.capacity(), 0, Source.STORE);
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
