package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webmvc.FiltersBehind;
import dev.sash.spring.webmvc.MvcRoutes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
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

/** Limits requests of servlet containers, whether Spring MVC handles them or something else. */
@AutoConfiguration(after = SashWebAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
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
      ObjectProvider<MvcRoutes> routes) {
    RateLimitFilter.Builder filter = RateLimitFilter.builder(limiter);
    routes.ifAvailable(mvc -> filter.route(mvc::of));
    Boolean waits = properties.web().waitForDecisions();
    return filter
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
}
