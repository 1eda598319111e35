package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webmvc.FiltersBehind;
import dev.sash.spring.webmvc.MvcResponses;
import dev.sash.spring.webmvc.MvcRoutes;
import dev.sash.spring.webmvc.RateLimitExceptionResolver;
import dev.sash.spring.webmvc.RateLimitHandlerInterceptor;
import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Limits requests of servlet containers, and of Spring MVC. */
@AutoConfiguration(after = SashWebAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(WebLimits.class)
public final class SashServletAutoConfiguration {
  /** For Spring. */
  public SashServletAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  RateLimitFilter sashRateLimitFilter(
      HttpLimiter limiter,
      WebLimits limits,
      SashProperties properties,
      ListableBeanFactory beans,
      ObjectProvider<RequestMappingHandlerMapping> mappings) {
    MvcRoutes routes = new MvcRoutes(() -> mappings.orderedStream().toList());
    Boolean waits = properties.web().waitForDecisions();
    return RateLimitFilter.builder(limiter)
        .route(routes::of)
        .waitForDecisions(
            waits == null
                ? new FiltersBehind(beans, FilterOrders.orderOf(properties.web(), limits))
                : () -> waits)
        .build();
  }

  @Bean
  FilterRegistrationBean<RateLimitFilter> sashRateLimitFilterRegistration(
      RateLimitFilter filter, WebLimits limits, SashProperties properties) {
    FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setName("sashRateLimitFilter");
    registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    registration.setOrder(FilterOrders.orderOf(properties.web(), limits));
    return registration;
  }

  @Bean
  MvcResponses sashMvcResponses(HttpLimiter limiter, RateLimitFilter filter) {
    return new MvcResponses(limiter, filter);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitExceptionResolver sashRateLimitExceptionResolver(MvcResponses responses) {
    return new RateLimitExceptionResolver(responses);
  }

  @Configuration(proxyBeanMethods = false)
  static class Handlers implements WebMvcConfigurer {
    private final ObjectProvider<HandlerLimits> limits;
    private final ObjectProvider<RateLimitFilter> filter;
    private final ObjectProvider<MvcResponses> responses;

    Handlers(
        ObjectProvider<HandlerLimits> limits,
        ObjectProvider<RateLimitFilter> filter,
        ObjectProvider<MvcResponses> responses) {
      this.limits = limits;
      this.filter = filter;
      this.responses = responses;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addInterceptor(
          new RateLimitHandlerInterceptor(
              limits.getObject(), filter.getObject(), responses.getObject()));
    }
  }
}
