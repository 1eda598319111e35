package dev.sash.spring.autoconfigure;

import dev.sash.DecisionListener;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.memory.InMemoryStore;
import dev.sash.spring.StoreCustomizer;
import dev.sash.spring.TierResolver;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.config.ConfiguredPolicy;
import dev.sash.spring.config.EnvironmentChanges;
import dev.sash.spring.config.LegacyProperties;
import dev.sash.spring.config.PolicyReader;
import dev.sash.spring.config.PolicyRefresh;
import dev.sash.spring.config.SashProperties;
import dev.sash.store.ListeningStore;
import dev.sash.store.Store;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

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

  @Bean
  static EnvironmentChanges sashEnvironmentChanges(ObjectProvider<PolicyRefresh> refresh) {
    return new EnvironmentChanges(refresh);
  }

  @Bean
  PolicyRefresh sashPolicyRefresh(
      Environment environment,
      ObjectProvider<Policy> beans,
      ObjectProvider<TierResolver> tiers,
      ConfiguredPolicies policies,
      LimiterRegistry limiters) {
    return new PolicyRefresh(
        environment,
        (properties, legacy, made) ->
            new PolicyReader(properties, tiers.getIfAvailable()).read(legacy, made),
        beans.orderedStream().toList(),
        policies,
        limiters);
  }

  /** Unless there is another store. */
  @Bean
  @ConditionalOnMissingBean(Store.class)
  InMemoryStore sashInMemoryStore(SashProperties properties) {
    InMemoryStore.Builder builder = InMemoryStore.builder();
    SashProperties.Memory memory = properties.memory();
    BadConfigurationException.check(
        "sash.memory.max-keys", () -> builder.maxKeys(memory.maxKeys()));
    DataSize maxBytes = memory.maxBytes();
    if (maxBytes != null) {
      BadConfigurationException.check(
          "sash.memory.max-bytes", () -> builder.maxBytes(maxBytes.toBytes()));
    }
    return builder.build();
  }

  @Bean
  @ConditionalOnMissingBean
  LimiterRegistry sashLimiters(
      ConfiguredPolicies policies,
      Store store,
      ObjectProvider<StoreCustomizer> customizers,
      ObjectProvider<DecisionListener> listeners) {
    Store decorated = store;
    for (StoreCustomizer customizer : customizers.orderedStream().toList()) {
      decorated = customizer.customize(decorated);
    }
    for (DecisionListener listener : listeners.orderedStream().toList()) {
      decorated = new ListeningStore(decorated, listener);
    }
    LimiterRegistry limiters = new LimiterRegistry(decorated);
    for (ConfiguredPolicy policy : policies) {
      limiters.put(policy.policy());
    }
    return limiters;
  }
}
