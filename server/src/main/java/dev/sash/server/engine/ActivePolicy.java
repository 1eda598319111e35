package dev.sash.server.engine;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.address.IpAddress;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.statistics.Statistics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A policy in force, and the limiters of its tiers. Immutable, except for what is counted. */
final class ActivePolicy {
  /** The limits of a tier, and the limiter that decides by them. */
  private record Tier(List<Limit> limits, RateLimiter limiter) {}

  private final PolicyConfig config;
  private final @Nullable Statistics statistics;
  private final Tier untiered;
  private final Map<String, Tier> tiers = new HashMap<>();

  /**
   * Creates a policy in force.
   *
   * @param config the configuration of the policy
   * @param limiter decides by its limits without a tier
   * @param statistics records what is decided without limits; null if nothing does
   */
  ActivePolicy(PolicyConfig config, RateLimiter limiter, @Nullable Statistics statistics) {
    this.config = config;
    this.statistics = statistics;
    this.untiered = new Tier(config.policy().limits(), limiter);
    config
        .tiers()
        .forEach((name, limits) -> tiers.put(name, new Tier(limits, limiter.withLimits(limits))));
  }

  /**
   * Resolves the key, the limits and the cost of a request.
   *
   * @param deadline the longest time to wait for a remote store, if the policy's is longer
   */
  PolicyCharge charge(CheckRequest request, Duration deadline) {
    String key = key(request);
    Tier tier = tier(request);
    return new PolicyCharge(
        config.name(),
        config,
        tier.limiter.waitingAtMost(deadline),
        tier.limits,
        key,
        permits(request),
        listed(request, key),
        statistics);
  }

  private @Nullable Reason listed(CheckRequest request, String key) {
    if (config.mode() == Mode.OFF) {
      return Reason.OFF;
    }
    IpAddress address = Attributes.address(request.attributes());
    if (config.deny().contains(key, address) && config.mode() == Mode.ENFORCE) {
      return Reason.DENY_LIST;
    }
    return config.allow().contains(key, address) ? Reason.ALLOW_LIST : null;
  }

  private String key(CheckRequest request) {
    if (request.key() != null) {
      return request.key();
    }
    return Attributes.key(config, request.attributes());
  }

  private Tier tier(CheckRequest request) {
    if (tiers.isEmpty()) {
      return untiered;
    }
    String tier = request.attributes().get(config.tierAttribute());
    return tier == null ? untiered : tiers.getOrDefault(tier, untiered);
  }

  private long permits(CheckRequest request) {
    if (request.permits() != null) {
      return request.permits();
    }
    Cost cost = config.cost();
    String told = cost.attribute() == null ? null : request.attributes().get(cost.attribute());
    return told == null ? cost.permits() : Attributes.cost(cost, told);
  }
}
