package dev.sash.server.engine;

import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.address.IpAddress;
import dev.sash.config.policy.Cost;
import dev.sash.config.policy.Mode;
import dev.sash.config.policy.PolicyConfig;
import dev.sash.server.override.Effect;
import dev.sash.server.override.KeyOverride;
import dev.sash.server.override.OverrideLookup;
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
   * @param overrides what applies to single keys instead
   */
  PolicyCharge charge(CheckRequest request, Duration deadline, OverrideLookup overrides) {
    String key = key(request);
    KeyOverride override = config.mode() == Mode.OFF ? null : overrides.find(config.name(), key);
    Reason listed = listed(request, key, override);
    Tier tier = tier(request);
    if (override != null && override.target().isPrefix()) {
      var unused = tier.limiter.forKey(key); // a prefix would also match a key that is too long
    }
    Effect effect = override == null ? null : applied(override.effect(), listed);
    if (override != null && effect == Effect.LIMITS) {
      tier = new Tier(override.limits(), tier.limiter.withLimits(override.limits()));
    }
    return new PolicyCharge(
        config.name(),
        config,
        tier.limiter.waitingAtMost(deadline),
        tier.limits,
        key,
        permits(request),
        listed,
        effect,
        statistics);
  }

  /** Returns the effect that decides; null if something else does. */
  private static @Nullable Effect applied(Effect effect, @Nullable Reason listed) {
    return switch (effect) {
      case LIMITS -> listed == null ? effect : null;
      case UNLIMITED -> listed == Reason.UNLIMITED ? effect : null;
      case BLOCK -> listed == Reason.BLOCKED ? effect : null;
    };
  }

  /**
   * Returns why the limits do not decide. The deny list of the configuration comes before an
   * override, and an override before the allow list. A policy in shadow mode denies nothing, so
   * that neither the deny list nor a block applies.
   */
  private @Nullable Reason listed(
      CheckRequest request, String key, @Nullable KeyOverride override) {
    if (config.mode() == Mode.OFF) {
      return Reason.OFF;
    }
    IpAddress address = Attributes.address(request.attributes());
    if (config.deny().contains(key, address) && config.mode() == Mode.ENFORCE) {
      return Reason.DENY_LIST;
    }
    Effect effect = override == null ? null : override.effect();
    if (effect == Effect.BLOCK && config.mode() == Mode.ENFORCE) {
      return Reason.BLOCKED;
    }
    if (effect == Effect.UNLIMITED) {
      return Reason.UNLIMITED;
    }
    boolean allowed = effect != Effect.LIMITS && config.allow().contains(key, address);
    return allowed ? Reason.ALLOW_LIST : null;
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
