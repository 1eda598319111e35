package dev.sash.spring;

import dev.sash.http.HttpLimiter;

/**
 * Adds to what limits requests, for what properties cannot say. A bean:
 *
 * <pre>{@code
 * @Bean
 * HttpLimiterCustomizer tenants(LimiterRegistry limiters) {
 *   return builder -> builder.rule(HttpRule.forPaths("/api/**")
 *       .charge(limiters.get("tenant"), KeyExtractor.by("tenant", this::tenantOf)));
 * }
 * }</pre>
 */
@FunctionalInterface
public interface HttpLimiterCustomizer {
  /**
   * Adds something.
   *
   * @param builder has the rules of the properties already
   */
  void customize(HttpLimiter.Builder builder);
}
