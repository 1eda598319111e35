package dev.sash.spring.autoconfigure;

import dev.sash.LimiterRegistry;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.method.MethodLimits;
import dev.sash.spring.method.RateLimitBeanPostProcessor;
import dev.sash.spring.method.RateLimitedBeans;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Limits calls of annotated methods. */
@AutoConfiguration(after = SashAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "sash.enabled", matchIfMissing = true)
public final class SashMethodAutoConfiguration {
  /** The bean that limits handlers; if there is one, a web framework asks for them. */
  static final String HANDLER_LIMITS = "sashHandlerLimits";

  /** For Spring. */
  public SashMethodAutoConfiguration() {}

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static MethodLimits sashMethodLimits(BeanFactory beans) {
    return new MethodLimits(() -> beans.containsBean(HANDLER_LIMITS), beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  @ConditionalOnMissingBean
  static RateLimitBeanPostProcessor sashRateLimitProxies(MethodLimits limits) {
    return new RateLimitBeanPostProcessor(limits);
  }

  @Bean
  RateLimitedBeans sashRateLimitedBeans(
      ConfigurableListableBeanFactory beans,
      MethodLimits limits,
      ConfiguredPolicies policies,
      ObjectProvider<LimiterRegistry> limiters) {
    return new RateLimitedBeans(beans, limits, policies, limiters);
  }
}
