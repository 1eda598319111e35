package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webflux.ExchangeResponses;
import dev.sash.spring.webflux.ExchangeViews;
import dev.sash.spring.webflux.RateLimitHandlerAdapter;
import dev.sash.spring.webflux.RateLimitWebExceptionHandler;
import dev.sash.spring.webflux.RateLimitWebFilter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;

/** Limits requests of Spring WebFlux. */
@AutoConfiguration(after = SashWebAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBean(WebLimits.class)
public final class SashWebFluxAutoConfiguration {
  /** For Spring. */
  public SashWebFluxAutoConfiguration() {}

  @Bean
  ExchangeViews sashExchangeViews(ObjectProvider<RequestMappingHandlerMapping> mappings) {
    return new ExchangeViews(() -> mappings.orderedStream().toList());
  }

  @Bean
  ExchangeResponses sashExchangeResponses(HttpLimiter limiter) {
    return new ExchangeResponses(limiter);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitWebFilter sashRateLimitWebFilter(
      HttpLimiter limiter,
      ExchangeViews views,
      ExchangeResponses responses,
      WebLimits limits,
      SashProperties properties) {
    return new RateLimitWebFilter(
        limiter, views, responses, FilterOrders.orderOf(properties.web(), limits));
  }

  @Bean
  @ConditionalOnBean(HandlerLimits.class)
  RateLimitHandlerAdapter sashRateLimitHandlerAdapter(
      HandlerLimits limits,
      ExchangeViews views,
      ExchangeResponses responses,
      ObjectProvider<RequestMappingHandlerAdapter> next) {
    return new RateLimitHandlerAdapter(limits, views, responses, next::getObject);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitWebExceptionHandler sashRateLimitWebExceptionHandler(
      ExchangeViews views, ExchangeResponses responses) {
    return new RateLimitWebExceptionHandler(views, responses);
  }
}
