package dev.sash.spring.gateway;

import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.method.PolicyNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;

/**
 * Reads the limits of all configured routes when the application starts. Gateway itself would only
 * log what is wrong, and fail every request.
 */
final class ConfiguredRoutes implements SmartInitializingSingleton, PolicyNames {
  private static final String REQUEST_RATE_LIMITER = "RequestRateLimiter";
  private static final String BEAN = "sashGatewayRateLimiter";

  private final GatewayProperties properties;
  private final ConfigurationService configuration;
  private final SashGatewayRateLimiter limiter;
  private final SashRateLimitGatewayFilterFactory filters;
  private final Supplier<@Nullable RequestRateLimiterGatewayFilterFactory> requestRateLimiter;

  /**
   * Creates an instance.
   *
   * @param properties the routes
   * @param configuration reads arguments
   * @param limiter reads those of {@code RequestRateLimiter}
   * @param filters reads those of {@code SashRateLimit}
   * @param requestRateLimiter Gateway's own filter; null if it is disabled
   */
  ConfiguredRoutes(
      GatewayProperties properties,
      ConfigurationService configuration,
      SashGatewayRateLimiter limiter,
      SashRateLimitGatewayFilterFactory filters,
      Supplier<@Nullable RequestRateLimiterGatewayFilterFactory> requestRateLimiter) {
    this.properties = properties;
    this.configuration = configuration;
    this.limiter = limiter;
    this.filters = filters;
    this.requestRateLimiter = requestRateLimiter;
  }

  @Override
  public void afterSingletonsInstantiated() {
    List<FilterDefinition> defaults = properties.getDefaultFilters();
    boolean isLimitedByDefault =
        defaults.stream()
            .filter(filter -> REQUEST_RATE_LIMITER.equals(filter.getName()))
            .anyMatch(filter -> SashGatewayRateLimiter.isConfiguredBy(filter.getArgs().keySet()));
    defaults.forEach(filter -> check(RouteDefinitionRouteLocator.DEFAULT_FILTERS, filter, true));
    for (RouteDefinition route : properties.getRoutes()) {
      for (FilterDefinition filter : route.getFilters()) {
        check(String.valueOf(route.getId()), filter, isLimitedByDefault);
      }
    }
  }

  @Override
  public Set<String> usedPolicies() {
    Set<String> names = new TreeSet<>();
    properties.getDefaultFilters().forEach(filter -> addPolicy(filter, names));
    properties
        .getRoutes()
        .forEach(route -> route.getFilters().forEach(filter -> addPolicy(filter, names)));
    return names;
  }

  private static void addPolicy(FilterDefinition filter, Set<String> names) {
    Map<String, String> arguments = filter.getArgs();
    if (SashRateLimitGatewayFilterFactory.NAME.equals(filter.getName())) {
      arguments.values().forEach(value -> names.add(value.strip()));
    } else if (REQUEST_RATE_LIMITER.equals(filter.getName())) {
      arguments.forEach(
          (name, value) -> {
            if (SashGatewayRateLimiter.isConfiguredBy(Set.of(name))) {
              names.add(value.strip());
            }
          });
    }
  }

  private void check(String routeId, FilterDefinition filter, boolean mayBeEmpty) {
    if (SashRateLimitGatewayFilterFactory.NAME.equals(filter.getName())) {
      var unused = filters.apply(config(routeId, filter));
    } else if (REQUEST_RATE_LIMITER.equals(filter.getName())) {
      Map<String, Object> arguments = new TreeMap<>(filter.getArgs());
      if (SashGatewayRateLimiter.isConfiguredBy(arguments.keySet())) {
        limiter.onApplicationEvent(new FilterArgsEvent(this, routeId, arguments));
      } else if (!mayBeEmpty && isOurs(filter)) {
        throw RouteLimiter.bad(
            routeId, "policy", "must be set, or sash-rate-limiter.limits: the route has no limit");
      }
    }
  }

  private SashRateLimitGatewayFilterFactory.Config config(String routeId, FilterDefinition filter) {
    String property = "route '" + routeId + "', " + SashRateLimitGatewayFilterFactory.NAME;
    try {
      var config =
          configuration.with(filters).name(filter.getName()).properties(filter.getArgs()).bind();
      config.setRouteId(routeId);
      return config;
    } catch (BindException e) {
      List<Object> values = new ArrayList<>(filter.getArgs().values());
      throw BadConfigurationException.property(
          property, "must be a policy, or a policy and a number of permits, was " + values);
    }
  }

  private boolean isOurs(FilterDefinition filter) {
    for (Map.Entry<String, String> argument : filter.getArgs().entrySet()) {
      String name = argument.getKey().replace("-", "").toLowerCase(Locale.ROOT);
      if (name.equals("ratelimiter")) {
        return argument.getValue().contains(BEAN);
      }
    }
    RequestRateLimiterGatewayFilterFactory factory = requestRateLimiter.get();
    return factory != null && factory.getDefaultRateLimiter() == limiter;
  }
}
