package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.spring.web.FilterPlaces;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.web.LoginForms;
import dev.sash.spring.web.RequestLimiters;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webflux.ExchangeResponses;
import dev.sash.spring.webflux.ExchangeViews;
import dev.sash.spring.webflux.RateLimitHandlerAdapter;
import dev.sash.spring.webflux.RateLimitWebExceptionHandler;
import dev.sash.spring.webflux.RateLimitWebFilter;
import dev.sash.spring.webflux.ReactiveCorsFields;
import dev.sash.spring.webflux.UserRateLimitWebFilter;
import org.springframework.beans.factory.ListableBeanFactory;
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
  private static final String FILTER = "sashRateLimitWebFilter";

  /** For Spring. */
  public SashWebFluxAutoConfiguration() {}

  @Bean
  ExchangeViews sashExchangeViews(
      ObjectProvider<RequestMappingHandlerMapping> mappings, LoginForms logins) {
    return new ExchangeViews(() -> mappings.orderedStream().toList(), logins);
  }

  @Bean
  ExchangeResponses sashExchangeResponses(
      HttpLimiter limiter,
      ListableBeanFactory beans,
      ObjectProvider<RequestMappingHandlerMapping> mappings) {
    return new ExchangeResponses(
        limiter, new ReactiveCorsFields(beans, () -> mappings.orderedStream().toList()));
  }

  @Bean(FILTER)
  @ConditionalOnMissingBean
  RateLimitWebFilter sashRateLimitWebFilter(
      RequestLimiters limiters,
      ExchangeViews views,
      ExchangeResponses responses,
      FilterPlaces places) {
    return new RateLimitWebFilter(limiters.first(), views, responses, places.first());
  }

  @Bean
  @ConditionalOnBean(name = FILTER)
  UserRateLimitWebFilter sashUserRateLimitWebFilter(
      RequestLimiters limiters,
      ExchangeViews views,
      ExchangeResponses responses,
      FilterPlaces places) {
    int order = places.afterSecurity();
    HttpLimiter limiter = limiters.afterSecurity();
    return new UserRateLimitWebFilter(
        limiter == null ? null : new RateLimitWebFilter(limiter, views, responses, order), order);
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
