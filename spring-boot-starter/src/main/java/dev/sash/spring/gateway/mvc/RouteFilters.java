package dev.sash.spring.gateway.mvc;

import dev.sash.spring.config.BadConfigurationException;
import dev.sash.spring.method.PolicyNames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.server.mvc.common.Shortcut;
import org.springframework.cloud.gateway.server.mvc.config.FilterProperties;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.config.RouteProperties;
import org.springframework.cloud.gateway.server.mvc.filter.FilterSupplier;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The filter {@code SashRateLimit} of configured routes, which are checked when the application
 * starts.
 */
final class RouteFilters implements FilterSupplier, SmartInitializingSingleton, PolicyNames {
  private static final String NAME = "SashRateLimit";

  private final GatewayMvcProperties properties;
  private final RouteLimits limits;

  /**
   * Creates an instance.
   *
   * @param properties the routes
   * @param limits makes filters
   */
  RouteFilters(GatewayMvcProperties properties, RouteLimits limits) {
    this.properties = properties;
    this.limits = limits;
  }

  /** The functions that a configuration can name. Gateway calls them without an object. */
  @Override
  public Collection<Method> get() {
    return Arrays.stream(Functions.class.getMethods())
        .filter(method -> method.getDeclaringClass() == Functions.class)
        .toList();
  }

  @Override
  public void afterSingletonsInstantiated() {
    properties.getRoutes().forEach(route -> check(String.valueOf(route.getId()), route));
    properties
        .getRoutesMap()
        .forEach((id, route) -> check(route.getId() == null ? id : route.getId(), route));
  }

  @Override
  public Set<String> usedPolicies() {
    List<RouteProperties> routes = new ArrayList<>(properties.getRoutes());
    routes.addAll(properties.getRoutesMap().values());
    Set<String> names = new TreeSet<>();
    for (RouteProperties route : routes) {
      for (FilterProperties filter : route.getFilters()) {
        if (NAME.equalsIgnoreCase(filter.getName())) {
          filter.getArgs().values().forEach(value -> names.add(String.valueOf(value).strip()));
        }
      }
    }
    return names;
  }

  private void check(String routeId, RouteProperties route) {
    for (FilterProperties filter : route.getFilters()) {
      if (NAME.equalsIgnoreCase(filter.getName())) {
        check("route '" + routeId + "', " + NAME, filter.getArgs());
      }
    }
  }

  /** By name, or in their order if they are written as a shortcut. */
  private void check(String property, Map<String, ?> arguments) {
    List<Object> values = new ArrayList<>(arguments.values());
    Object policy = arguments.containsKey("policy") ? arguments.get("policy") : values.get(0);
    Object permits =
        arguments.containsKey("permits")
            ? arguments.get("permits")
            : values.size() > 1 ? values.get(1) : 1;
    var unused =
        BadConfigurationException.check(
            property,
            () -> limits.rateLimit(String.valueOf(policy), number(String.valueOf(permits))));
  }

  private static long number(String permits) {
    if (!permits.strip().matches("\\d{1,10}")) {
      throw new IllegalArgumentException(
          "permits must be between 1 and 1000000000, was '" + permits + "'");
    }
    return Long.parseLong(permits.strip());
  }

  /** Named as the filter. What is wrong is found by the check, which knows the route. */
  static final class Functions {
    private Functions() {}

    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> sashRateLimit(
        String policy) {
      return sashRateLimit(policy, "1");
    }

    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> sashRateLimit(
        String policy, String permits) {
      return (request, next) ->
          SashFilterFunctions.rateLimit(policy, number(permits)).filter(request, next);
    }
  }
}
