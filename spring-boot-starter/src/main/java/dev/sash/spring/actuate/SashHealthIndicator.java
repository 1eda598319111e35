package dev.sash.spring.actuate;

import dev.sash.FailureRule;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Always up: while Redis does not answer, the failure rules do, and that is what they are for. If
 * the status said otherwise, all instances would leave the load balancer together, over a limiter.
 * The details tell what decides. Does not ask Redis: goes by the latest decisions.
 */
public final class SashHealthIndicator extends AbstractHealthIndicator {
  private final @Nullable BooleanSupplier redis;
  private final ConfiguredPolicies policies;

  /**
   * An indicator.
   *
   * @param redis whether Redis responds; null if limits are kept in memory
   * @param policies have failure rules
   */
  public SashHealthIndicator(@Nullable BooleanSupplier redis, ConfiguredPolicies policies) {
    this.redis = redis;
    this.policies = policies;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.up();
    if (redis == null) {
      builder.withDetail("store", "memory");
      return;
    }
    builder.withDetail("store", "redis");
    boolean answers = redis.getAsBoolean();
    builder.withDetail("redis", answers ? "answers" : "does not answer");
    if (!answers) {
      Map<String, FailureRule> rules = new TreeMap<>();
      for (ConfiguredPolicy policy : policies) {
        rules.put(policy.name(), policy.policy().failureRule());
      }
      builder.withDetail("decided by", rules);
    }
  }
}
