package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.http.DenialFormat;
import dev.sash.http.HttpLimiter;
import dev.sash.http.KeyExtractor;
import dev.sash.spring.HttpLimiterCustomizer;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.NamedBeans;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.method.MethodLimits;
import dev.sash.spring.web.ConfiguredDenials;
import dev.sash.spring.web.FilterPlaces;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.web.LoginForms;
import dev.sash.spring.web.RequestLimiters;
import dev.sash.spring.web.WebLimits;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** What limits requests, whichever web framework receives them. */
@AutoConfiguration(after = {SashAutoConfiguration.class, SashMethodAutoConfiguration.class})
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(name = "sash.enabled", matchIfMissing = true)
public final class SashWebAutoConfiguration {
  /** The order of Spring Security's filters, whose classes need not be there. */
  private static final int SECURITY = -100;

  private static final String SERVLET_SECURITY = "springSecurityFilterChain";
  private static final String REACTIVE_SECURITY =
      "org.springframework.security.config.annotation.web.reactive.WebFluxSecurityConfiguration"
          + ".WebFilterChainFilter";

  /** For Spring. */
  public SashWebAutoConfiguration() {}

  @Bean
  WebLimits sashWebLimits(
      SashProperties properties,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      FilterPlaces places,
      ObjectProvider<DenialFormat> denials,
      ListableBeanFactory beans) {
    return new WebLimits(
        properties.web(),
        policies,
        limiters,
        places,
        ConfiguredDenials.of(properties.web().denial(), denials.getIfAvailable()),
        name -> NamedBeans.find(beans, name, KeyExtractor.class));
  }

  /** Where the filters stand. */
  @Bean
  FilterPlaces sashFilterPlaces(
      SashProperties properties, ListableBeanFactory beans, Environment environment) {
    boolean isServlet = beans.containsBean(SERVLET_SECURITY);
    return new FilterPlaces(
        isServlet
            ? environment.getProperty("spring.security.filter.order", Integer.class, SECURITY)
            : SECURITY,
        isServlet || beans.containsBean(REACTIVE_SECURITY),
        properties.web().filterOrder());
  }

  @Bean
  @ConditionalOnMissingBean
  HttpLimiter sashHttpLimiter(
      WebLimits limits,
      ObjectProvider<HttpLimiterCustomizer> customizers,
      Environment environment) {
    String actuator = environment.getProperty("management.endpoints.web.base-path", "/actuator");
    String health = (actuator.equals("/") ? "" : actuator) + "/health/**";
    return limits.forPaths(List.of(health), customizers.orderedStream().toList());
  }

  @Bean
  RequestLimiters sashRequestLimiters(HttpLimiter limiter, WebLimits limits) {
    return limits.divided(limiter);
  }

  @Bean
  LoginForms sashLoginForms(SashProperties properties) {
    return new LoginForms(properties.web().login());
  }

  @Bean(SashMethodAutoConfiguration.HANDLER_LIMITS)
  @ConditionalOnBean(MethodLimits.class)
  HandlerLimits sashHandlerLimits(WebLimits limits, MethodLimits methods) {
    return new HandlerLimits(limits, methods);
  }
}
