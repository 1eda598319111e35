package dev.sash.spring.gateway;

import dev.sash.LimiterRegistry;
import dev.sash.http.RateLimitFields;
import dev.sash.spring.autoconfigure.SashWebFluxAutoConfiguration;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.SashProperties;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/**
 * Limits routes of Spring Cloud Gateway Server WebFlux that have its filter {@code
 * RequestRateLimiter}, which exists only if there is a rate limiter before.
 */
@AutoConfiguration(
    after = SashWebFluxAutoConfiguration.class,
    before = GatewayAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({RateLimiter.class, GatewayAutoConfiguration.class})
@ConditionalOnBooleanProperty(
    name = "spring.cloud.gateway.server.webflux.enabled",
    matchIfMissing = true)
final class SashGatewayAutoConfiguration {
  /** A fallback: routes that rely on another rate limiter of the application keep it. */
  @Bean
  @Fallback
  @ConditionalOnMissingBean
  SashGatewayRateLimiter sashGatewayRateLimiter(
      ObjectProvider<ConfigurationService> configuration,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      SashProperties properties) {
    RateLimitFields fields =
        BadConfigurationException.check(
            "sash.web.fields",
            () -> new RateLimitFields(properties.web().fields(), InstantSource.system()));
    return new SashGatewayRateLimiter(
        configuration.getIfAvailable(), policies, limiters, fields, properties.enabled());
  }
}
