package dev.sash.spring.autoconfigure;

import dev.sash.micrometer.SashMeters;
import dev.sash.redis.RedisStore;
import dev.sash.spring.StoreCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Meters of decisions and stores, and observations of them where there is a registry. */
@AutoConfiguration(
    after = SashRedisAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class SashMetricsAutoConfiguration {
  /** For Spring. */
  public SashMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  SashMeters sashMeters(
      MeterRegistry registry,
      ObjectProvider<ObservationRegistry> observations,
      ObjectProvider<RedisStore> redis) {
    SashMeters meters =
        new SashMeters(registry, observations.getIfAvailable(() -> ObservationRegistry.NOOP));
    redis.ifAvailable(store -> meters.watchStore("redis", store::isUp));
    return meters;
  }

  /** The innermost: it has to see the store itself. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  StoreCustomizer sashMeteredStore(SashMeters meters) {
    return meters::instrument;
  }
}
