package dev.sash.spring.gateway.mvc;

import dev.sash.spring.autoconfigure.SashMvcAutoConfiguration;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webmvc.MvcResponses;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.context.annotation.Bean;

/** Limits routes of Spring Cloud Gateway Server WebMVC. */
@AutoConfiguration(
    after = {SashMvcAutoConfiguration.class, GatewayServerMvcAutoConfiguration.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(GatewayServerMvcAutoConfiguration.class)
@ConditionalOnBean(GatewayMvcProperties.class)
final class SashGatewayMvcAutoConfiguration {
  @Bean
  RouteLimits sashRouteLimits(
      ObjectProvider<WebLimits> limits, ObjectProvider<MvcResponses> responses) {
    return new RouteLimits(limits.getIfAvailable(), responses.getIfAvailable());
  }

  @Bean
  RouteFilters sashRouteFilters(GatewayMvcProperties properties, RouteLimits limits) {
    return new RouteFilters(properties, limits);
  }
}
