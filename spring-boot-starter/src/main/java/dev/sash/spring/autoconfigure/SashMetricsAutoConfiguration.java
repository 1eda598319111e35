package dev.sash.spring.autoconfigure;

import dev.sash.micrometer.SashMeters;
import dev.sash.spring.StoreCustomizer;
import dev.sash.spring.redis.RedisLookup;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
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
  private static final Pattern OBSERVATIONS =
      Pattern.compile("sash\\.(acquire|peek|charge|refund|inspect|reset)(\\.active)?");

  /** For Spring. */
  public SashMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  SashMeters sashMeters(
      MeterRegistry registry,
      ObjectProvider<ObservationRegistry> observations,
      ObjectProvider<RedisLookup> redis) {
    SashMeters meters =
        new SashMeters(registry, observations.getIfAvailable(() -> ObservationRegistry.NOOP));
    redis.ifAvailable(
        lookup -> {
          BooleanSupplier isUp = lookup.find();
          if (isUp != null) {
            meters.watchStore("redis", isUp);
          }
        });
    return meters;
  }

  /**
   * Observations are for traces here: as meters they would show again, without descriptions, what
   * the meters of {@link SashMeters} show.
   */
  @Bean
  MeterFilter sashMetersOfObservations() {
    return MeterFilter.deny(id -> OBSERVATIONS.matcher(id.getName()).matches());
  }

  /** The innermost: it has to see the store itself. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  StoreCustomizer sashMeteredStore(SashMeters meters) {
    return meters::instrument;
  }
}
