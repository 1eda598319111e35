package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.http.HttpLimiter;
import dev.sash.http.KeyExtractor;
import dev.sash.spring.HttpLimiterCustomizer;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.SashProperties;
import dev.sash.spring.method.MethodLimits;
import dev.sash.spring.web.HandlerLimits;
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
  /** For Spring. */
  public SashWebAutoConfiguration() {}

  @Bean
  WebLimits sashWebLimits(
      SashProperties properties,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      ListableBeanFactory beans) {
    return new WebLimits(properties.web(), policies, limiters, name -> keyBean(beans, name));
  }

  private static KeyExtractor keyBean(ListableBeanFactory beans, String name) {
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, KeyExtractor.class)) {
      throw new IllegalArgumentException(
          "key must be made of beans that are KeyExtractors: "
              + List.of(beans.getBeanNamesForType(KeyExtractor.class))
              + ", was 'bean:"
              + name
              + "'");
    }
    return beans.getBean(name, KeyExtractor.class);
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

  @Bean(SashMethodAutoConfiguration.HANDLER_LIMITS)
  @ConditionalOnBean(MethodLimits.class)
  HandlerLimits sashHandlerLimits(WebLimits limits, MethodLimits methods) {
    return new HandlerLimits(limits, methods);
  }
}
