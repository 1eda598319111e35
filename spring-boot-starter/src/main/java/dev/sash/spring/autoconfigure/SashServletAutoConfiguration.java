package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.web.FilterPlaces;
import dev.sash.spring.web.LoginForms;
import dev.sash.spring.web.RequestLimiters;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webmvc.CorsFields;
import dev.sash.spring.webmvc.FiltersBehind;
import dev.sash.spring.webmvc.MvcRoutes;
import dev.sash.spring.webmvc.ServletLogins;
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
import org.springframework.web.cors.CorsConfigurationSource;

/** Limits requests of servlet containers, whether Spring MVC handles them or something else. */
@AutoConfiguration(after = SashWebAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, CorsConfigurationSource.class})
@ConditionalOnBean(WebLimits.class)
public final class SashServletAutoConfiguration {
  private static final String FILTER = "sashRateLimitFilter";

  /** For Spring. */
  public SashServletAutoConfiguration() {}

  @Bean
  ServletFilters sashServletFilters(
      SashProperties properties,
      LoginForms logins,
      ListableBeanFactory beans,
      ObjectProvider<MvcRoutes> routes) {
    return new ServletFilters(properties.web().waitForDecisions(), logins, beans, routes);
  }

  @Bean(FILTER)
  @ConditionalOnMissingBean
  RateLimitFilter sashRateLimitFilter(
      RequestLimiters limiters, ServletFilters filters, FilterPlaces places) {
    return filters.filter(limiters.first(), places.first());
  }

  /** In an application with a filter of its own, that filter stands here. */
  @Bean
  FilterRegistrationBean<RateLimitFilter> sashRateLimitFilterRegistration(
      RateLimitFilter filter, FilterPlaces places) {
    return registration(FILTER, filter, places.first());
  }

  @Bean
  @ConditionalOnBean(name = FILTER)
  FilterRegistrationBean<RateLimitFilter> sashUserRateLimitFilterRegistration(
      RequestLimiters limiters, ServletFilters filters, FilterPlaces places) {
    HttpLimiter limiter = limiters.afterSecurity();
    var registration =
        registration(
            "sashUserRateLimitFilter",
            filters.filter(limiter == null ? limiters.first() : limiter, places.afterSecurity()),
            places.afterSecurity());
    registration.setEnabled(limiter != null);
    return registration;
  }

  private static FilterRegistrationBean<RateLimitFilter> registration(
      String name, RateLimitFilter filter, int order) {
    FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setName(name);
    registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    registration.setOrder(order);
    return registration;
  }

  /** Creates filters that differ in their limiter and their place. */
  record ServletFilters(
      @org.jspecify.annotations.Nullable Boolean waits,
      LoginForms logins,
      ListableBeanFactory beans,
      ObjectProvider<MvcRoutes> routes) {

    RateLimitFilter filter(HttpLimiter limiter, int order) {
      RateLimitFilter.Builder filter =
          RateLimitFilter.builder(limiter)
              .loginName(new ServletLogins(logins))
              .beforeDenial(new CorsFields(beans));
      routes.ifAvailable(mvc -> filter.route(mvc::of));
      return filter
          .waitForDecisions(waits == null ? new FiltersBehind(beans, order) : () -> waits)
          .build();
    }
  }
}
