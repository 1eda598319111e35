package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.redis.RedisStore;
import dev.sash.spring.actuate.SashEndpoint;
import dev.sash.spring.actuate.SashHealthIndicator;
import dev.sash.spring.config.ConfiguredPolicies;
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
    SashEndpoint sashEndpoint(LimiterRegistry limiters, ConfiguredPolicies policies) {
      return new SashEndpoint(limiters, policies);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  @ConditionalOnEnabledHealthIndicator("sash")
  static class Health {
    @Bean
    @ConditionalOnMissingBean(name = "sashHealthContributor")
    SashHealthIndicator sashHealthContributor(
        ObjectProvider<RedisStore> redis, ConfiguredPolicies policies) {
      return new SashHealthIndicator(redis.getIfAvailable(), policies);
    }
  }
}
