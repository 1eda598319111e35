package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.client.OutgoingLimiter;
import dev.sash.spring.client.OutgoingLimitFilter;
import dev.sash.spring.client.OutgoingLimitInterceptor;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ClientProperties;
import dev.sash.spring.config.SashProperties;
import dev.sash.store.Store;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Limits calls to other services: those of all clients that Spring Boot builds, if {@code
 * sash.client.enabled} says so, and otherwise those of the clients to which an application adds the
 * interceptor or the filter.
 */
@AutoConfiguration(after = SashAutoConfiguration.class)
public final class SashClientAutoConfiguration {
  private static final String PREFIX = "sash.client.";

  /** For Spring. */
  public SashClientAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  OutgoingLimiter sashOutgoingLimiter(
      SashProperties properties, Store store, LimiterRegistry limiters) {
    ClientProperties client = properties.client();
    OutgoingLimiter.Builder builder = OutgoingLimiter.builder(store);
    String policy = client.policy();
    if (policy != null) {
      set("policy", () -> builder.limiter(limiters.get(policy)));
    }
    set("max-wait", () -> builder.maxWait(client.maxWait()));
    set("max-waiting", () -> builder.maxWaiting(client.maxWaiting()));
    set("max-pause", () -> builder.maxPause(client.maxPause()));
    set("default-pause", () -> builder.defaultPause(client.defaultPause()));
    return builder.build();
  }

  private static void set(String property, Supplier<OutgoingLimiter.Builder> step) {
    BadConfigurationException.check(PREFIX + property, step);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ClientHttpRequestInterceptor.class)
  static class Blocking {
    @Bean
    @ConditionalOnMissingBean
    OutgoingLimitInterceptor sashOutgoingLimitInterceptor(OutgoingLimiter limiter) {
      return new OutgoingLimitInterceptor(limiter);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ClientHttpRequestInterceptor.class, RestClientCustomizer.class})
  @ConditionalOnBooleanProperty(name = PREFIX + "enabled")
  static class AllBlocking {
    @Bean
    RestClientCustomizer sashRestClientCustomizer(OutgoingLimitInterceptor interceptor) {
      return builder -> builder.requestInterceptor(interceptor);
    }

    @Bean
    RestTemplateCustomizer sashRestTemplateCustomizer(OutgoingLimitInterceptor interceptor) {
      return template -> template.getInterceptors().add(interceptor);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ExchangeFilterFunction.class)
  static class Reactive {
    @Bean
    @ConditionalOnMissingBean
    OutgoingLimitFilter sashOutgoingLimitFilter(OutgoingLimiter limiter) {
      return new OutgoingLimitFilter(limiter);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ExchangeFilterFunction.class, WebClientCustomizer.class})
  @ConditionalOnBooleanProperty(name = PREFIX + "enabled")
  static class AllReactive {
    @Bean
    WebClientCustomizer sashWebClientCustomizer(OutgoingLimitFilter filter) {
      return builder -> builder.filter(filter);
    }
  }
}
