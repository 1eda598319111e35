package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.spring.actuate.SashEndpoint;
import dev.sash.spring.actuate.SashHealthIndicator;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.PolicyRefresh;
import dev.sash.spring.redis.RedisLookup;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the actuator tells about limits. */
@AutoConfiguration(after = SashAutoConfiguration.class)
public final class SashActuatorAutoConfiguration {
  /** For Spring. */
  public SashActuatorAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
  @ConditionalOnAvailableEndpoint(SashEndpoint.class)
  static class Endpoint {
    @Bean
    @ConditionalOnMissingBean
    SashEndpoint sashEndpoint(
        LimiterRegistry limiters, ConfiguredPolicies policies, PolicyRefresh refresh) {
      return new SashEndpoint(limiters, policies, refresh);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  @ConditionalOnEnabledHealthIndicator("sash")
  static class Health {
    @Bean
    @ConditionalOnMissingBean(name = "sashHealthContributor")
    SashHealthIndicator sashHealthContributor(
        ObjectProvider<RedisLookup> redis, ConfiguredPolicies policies) {
      RedisLookup lookup = redis.getIfAvailable();
      return new SashHealthIndicator(lookup == null ? null : lookup.find(), policies);
    }
  }
}
