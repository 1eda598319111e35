package dev.sash.spring.autoconfigure;

import dev.sash.http.HttpLimiter;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.security.LoginEvents;
import dev.sash.spring.security.ReactiveLogins;
import dev.sash.spring.web.FilterPlaces;
import dev.sash.spring.web.WebLimits;
import dev.sash.spring.webmvc.LoginRequests;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.web.reactive.DispatcherHandler;

/** Charges failed logins, as Spring Security reports them. */
@AutoConfiguration(
    after = {SashServletAutoConfiguration.class, SashWebFluxAutoConfiguration.class},
    afterName =
        "org.springframework.boot.security.autoconfigure.web.reactive"
            + ".ReactiveWebSecurityAutoConfiguration")
@ConditionalOnClass({AbstractAuthenticationEvent.class, ObjectPostProcessor.class})
@ConditionalOnBean(WebLimits.class)
public final class SashSecurityAutoConfiguration {
  /** For Spring. */
  public SashSecurityAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass(Filter.class)
  @ConditionalOnBean(RateLimitFilter.class)
  static class Servlets {
    @Bean
    FilterRegistrationBean<LoginRequests> sashLoginRequests(
        HttpLimiter limiter, RateLimitFilter filter, FilterPlaces places) {
      var registration = new FilterRegistrationBean<>(new LoginRequests(limiter, filter));
      registration.setName("sashLoginRequests");
      registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
      registration.setOrder(places.securityOrder() - 1);
      return registration;
    }

    @Bean
    LoginEvents sashLoginEvents(FilterRegistrationBean<LoginRequests> requests) {
      return new LoginEvents(java.util.Objects.requireNonNull(requests.getFilter())::ofThisThread);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  @ConditionalOnClass({DispatcherHandler.class, ReactiveAuthenticationManager.class})
  static class WebFlux {
    @Bean
    static ReactiveLogins sashReactiveLogins() {
      return new ReactiveLogins();
    }

    @Bean(ReactiveLogins.NAME)
    @ConditionalOnMissingBean(name = ReactiveLogins.NAME)
    static ObjectPostProcessor<ReactiveAuthenticationManager> sashAuthenticationManagers(
        ReactiveLogins logins) {
      return logins;
    }
  }
}
