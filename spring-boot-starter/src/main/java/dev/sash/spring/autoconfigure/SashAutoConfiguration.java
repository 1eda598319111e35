package dev.sash.spring.autoconfigure;

import dev.sash.DecisionListener;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.spring.LimiterDecorator;
import dev.sash.spring.LimiterFactory;
import dev.sash.spring.RateLimiters;
import dev.sash.spring.TierResolver;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.LegacyProperties;
import dev.sash.spring.config.PolicyReader;
import dev.sash.spring.config.SashProperties;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The policies of an application, and a limiter for each. */
@AutoConfiguration(after = SashRedisAutoConfiguration.class)
@EnableConfigurationProperties({SashProperties.class, LegacyProperties.class})
public final class SashAutoConfiguration {
  /** For Spring. */
  public SashAutoConfiguration() {}

  @Bean
  ConfiguredPolicies sashPolicies(
      SashProperties properties,
      LegacyProperties legacy,
      ObjectProvider<Policy> policies,
      ObjectProvider<TierResolver> tiers) {
    return new PolicyReader(properties, tiers.getIfAvailable())
        .read(legacy, policies.orderedStream().toList());
  }

  /** Unless there is another store, or another factory. */
  @Bean
  @ConditionalOnMissingBean(LimiterFactory.class)
  LimiterFactory sashInMemoryLimiters(
      SashProperties properties, ObjectProvider<InMemoryStore> stores) {
    InMemoryStore store =
        stores.getIfAvailable(
            () ->
                BadConfigurationException.check(
                    "sash.memory.max-keys",
                    () -> InMemoryStore.builder().maxKeys(properties.memory().maxKeys()).build()));
    return store::limiter;
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimiters rateLimiters(
      ConfiguredPolicies policies,
      LimiterFactory factory,
      ObjectProvider<LimiterDecorator> decorators,
      ObjectProvider<DecisionListener> listeners) {
    List<RateLimiter> limiters = new ArrayList<>();
    for (ConfiguredPolicy policy : policies) {
      RateLimiter limiter = factory.limiter(policy.policy());
      for (LimiterDecorator decorator : decorators.orderedStream().toList()) {
        limiter = decorator.decorate(limiter);
      }
      for (DecisionListener listener : listeners.orderedStream().toList()) {
        limiter = limiter.listenedBy(listener);
      }
      limiters.add(limiter);
    }
    return new RateLimiters(limiters);
  }
}
