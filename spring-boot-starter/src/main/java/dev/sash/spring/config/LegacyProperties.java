package dev.sash.spring.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.convert.DurationUnit;

/**
 * The older names, which configure the limit of the policy 'default'.
 *
 * @param useAlgo How permits are counted: sliding-window-algo or fixed-window-algo.
 * @param windowSize The window; a number is in seconds.
 * @param maxRequests The permits per window.
 */
@ConfigurationProperties(prefix = LegacyProperties.PREFIX)
public record LegacyProperties(
    @Nullable String useAlgo,
    @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration windowSize,
    @Nullable Long maxRequests) {

  static final String PREFIX = "rate-limiter";

  /**
   * Whether any of them is set.
   *
   * @return true if there is a policy 'default'
   */
  boolean isSet() {
    return useAlgo != null || windowSize != null || maxRequests != null;
  }
}
