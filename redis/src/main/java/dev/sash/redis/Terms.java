package dev.sash.redis;

import dev.sash.Limit;
import dev.sash.Policy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A policy, and how its limits are asked of Redis. */
final class Terms {
  /** More tiers than anybody has by intent; what is beyond is made for each request. */
  private static final int TIERS_KEPT = 1_000;

  private final Policy policy;
  private final @Nullable LimitScript common;
  private final Map<List<Limit>, LimitScript> tiers = new ConcurrentHashMap<>();

  Terms(Policy policy) {
    this.policy = policy;
    this.common = policy.isTiered() ? null : new LimitScript(policy.limits());
  }

  Policy policy() {
    return policy;
  }

  LimitScript scriptFor(String key) {
    if (common != null) {
      return common;
    }
    return scriptOf(policy.limitsFor(key));
  }

  LimitScript scriptOf(List<Limit> limits) {
    LimitScript script = tiers.get(limits);
    if (script == null) {
      script = new LimitScript(limits);
      if (tiers.size() < TIERS_KEPT) {
        tiers.put(script.limits(), script);
      }
    }
    return script;
  }
}
