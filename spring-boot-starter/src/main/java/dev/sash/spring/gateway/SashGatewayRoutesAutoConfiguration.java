package dev.sash.spring.gateway;

import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webflux.ExchangeLimits;
import dev.sash.spring.webflux.ExchangeResponses;
import dev.sash.spring.webflux.ExchangeViews;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.gateway.config.GatewayAutoConfiguration;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;

/** The filter {@code SashRateLimit} of Spring Cloud Gateway Server WebFlux, and its routes. */
@AutoConfiguration(after = {SashGatewayAutoConfiguration.class, GatewayAutoConfiguration.class})
@ConditionalOnClass(GatewayAutoConfiguration.class)
@ConditionalOnBean({GatewayProperties.class, SashGatewayRateLimiter.class})
final class SashGatewayRoutesAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  SashRateLimitGatewayFilterFactory sashRateLimitGatewayFilterFactory(
      ObjectProvider<WebLimits> limits,
      ObjectProvider<ExchangeViews> views,
      ObjectProvider<ExchangeResponses> responses) {
    WebLimits made = limits.getIfAvailable();
    ExchangeViews reader = views.getIfAvailable();
    ExchangeResponses writer = responses.getIfAvailable();
    return made == null || reader == null || writer == null
        ? new SashRateLimitGatewayFilterFactory(null, null)
        : new SashRateLimitGatewayFilterFactory(made, new ExchangeLimits(reader, writer));
  }

  @Bean
  ConfiguredRoutes sashConfiguredRoutes(
      GatewayProperties properties,
      ConfigurationService configuration,
      SashGatewayRateLimiter limiter,
      SashRateLimitGatewayFilterFactory filters,
      ObjectProvider<RequestRateLimiterGatewayFilterFactory> requestRateLimiter) {
    return new ConfiguredRoutes(
        properties, configuration, limiter, filters, requestRateLimiter::getIfAvailable);
  }
}
