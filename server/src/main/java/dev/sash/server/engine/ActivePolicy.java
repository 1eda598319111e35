package dev.sash.server.engine;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.address.IpAddress;
import dev.sash.config.Cost;
import dev.sash.config.Mode;
import dev.sash.config.PolicyConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A policy in force, and the limiters of its tiers. Immutable, except for what is counted. */
final class ActivePolicy {
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

  /**
   * Resolves the key, the limits and the cost of a request.
   *
   * @param deadline the longest time to wait for a remote store, if that is less than the policy's
   */
  PolicyCharge charge(Question question, Duration deadline) {
    String key = key(question);
    Tier tier = tier(question);
    return new PolicyCharge(
        config,
        limiter(tier, deadline),
        tier.limits,
        key,
        permits(question),
        listed(question, key));
  }

  CompletionStage<Void> reset(Question question) {
    return tier(question).limiter.resetAsync(key(question));
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
    return told == null ? cost.permits() : Attributes.cost(cost, told);
  }
}
