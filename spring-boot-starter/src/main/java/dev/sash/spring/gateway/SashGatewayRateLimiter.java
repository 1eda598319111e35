package dev.sash.spring.gateway;

import dev.sash.LimiterRegistry;
import dev.sash.http.PolicyDecision;
import dev.sash.http.RateLimitFields;
import dev.sash.spring.config.ConfiguredPolicies;
import dev.sash.spring.webflux.ExchangeLimits;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/**
 * Limits routes that have Gateway's own filter {@code RequestRateLimiter}. Thread-safe.
 *
 * <pre>{@code
 * filters:
 *   - name: RequestRateLimiter
 *     args:
 *       rate-limiter: "#{@sashGatewayRateLimiter}"
 *       key-resolver: "#{@userKeyResolver}"
 *       sash-rate-limiter.limits: 100/1m, 1000/1h
 * }</pre>
 *
 * <p>A route in Java is configured by {@code limiter.getConfig().put(routeId, new
 * GatewayLimit().setPolicy("search"))}.
 */
public final class SashGatewayRateLimiter extends AbstractRateLimiter<GatewayLimit> {
  private static final Set<String> ARGUMENTS =
      new TreeSet<>(Set.of("policy", "limits", "by-route", "permits", "failure-rule", "deadline"));
  private static final Response NOT_LIMITED = new Response(true, Map.of());

  private final ConfiguredPolicies policies;
  private final LimiterRegistry limiters;
  private final RateLimitFields fields;
  private final boolean enabled;
  private final Map<String, RouteLimiter> routes = new ConcurrentHashMap<>();

  /**
   * Creates the bean {@code sashGatewayRateLimiter}.
   *
   * @param configuration reads arguments of routes; null if there are only routes in Java
   * @param policies what routes may name
   * @param limiters decide
   * @param fields writes header fields
   * @param enabled whether requests are limited
   */
  SashGatewayRateLimiter(
      @Nullable ConfigurationService configuration,
      ConfiguredPolicies policies,
      LimiterRegistry limiters,
      RateLimitFields fields,
      boolean enabled) {
    super(GatewayLimit.class, RouteLimiter.PREFIX, configuration);
    this.policies = policies;
    this.limiters = limiters;
    this.fields = fields;
    this.enabled = enabled;
  }

  /**
   * Reads the arguments of a route's filter.
   *
   * @param event the arguments
   * @throws dev.sash.spring.config.BadConfigurationException if an argument is wrong; the message
   *     names the route, the argument and what it may be
   */
  @Override
  public void onApplicationEvent(FilterArgsEvent event) {
    String routeId = event.getRouteId();
    if (!isConfiguredBy(event.getArgs().keySet())) {
      return;
    }
    checkNames(routeId, event.getArgs().keySet());
    try {
      super.onApplicationEvent(event);
    } catch (BindException e) {
      throw unreadable(routeId, e);
    }
    GatewayLimit limit = Objects.requireNonNull(getConfig().get(routeId));
    routes.put(routeId, RouteLimiter.of(routeId, limit, policies, limiters));
  }

  /** Returns whether one of the arguments of a filter is for this limiter. */
  static boolean isConfiguredBy(Set<String> arguments) {
    return arguments.stream().anyMatch(name -> name.startsWith(RouteLimiter.PREFIX + "."));
  }

  /** A limit that is misspelt would not be one. */
  private static void checkNames(String routeId, Set<String> arguments) {
    for (String argument : arguments) {
      if (argument.startsWith(RouteLimiter.PREFIX + ".")) {
        String name = argument.substring(RouteLimiter.PREFIX.length() + 1);
        String whole = plain(name.replaceFirst("\\[\\d+]$", ""));
        if (ARGUMENTS.stream().noneMatch(known -> plain(known).equals(whole))) {
          throw RouteLimiter.bad(
              routeId, name, "is unknown; the arguments are " + String.join(", ", ARGUMENTS));
        }
      }
    }
  }

  /** {@code byroute} of {@code by-route} and {@code byRoute}. */
  private static String plain(String name) {
    return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }

  private static RuntimeException unreadable(String routeId, BindException e) {
    Object value = e.getProperty() == null ? null : e.getProperty().getValue();
    Class<?> type = e.getTarget().getType().resolve(Object.class);
    String what =
        type.isEnum()
            ? "one of " + List.of(type.getEnumConstants()).toString().toLowerCase(Locale.ROOT)
            : Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type))
                ? "a whole number"
                : "a " + type.getSimpleName().toLowerCase(Locale.ROOT);
    String name = e.getName().toString();
    return RouteLimiter.bad(
        routeId,
        name.startsWith(RouteLimiter.PREFIX + ".")
            ? name.substring(RouteLimiter.PREFIX.length() + 1)
            : name,
        "must be " + what + ", was '" + value + "'");
  }

  /**
   * Decides a request.
   *
   * @param routeId the route
   * @param id the key, from the filter's key resolver
   * @return whether the request is admitted, and the header fields of the response
   */
  @Override
  public Mono<Response> isAllowed(String routeId, String id) {
    if (!enabled) {
      return Mono.just(NOT_LIMITED);
    }
    return ExchangeLimits.later(limiterOf(routeId).decide(id)).map(this::response);
  }

  private RouteLimiter limiterOf(String routeId) {
    RouteLimiter known = routes.get(routeId);
    GatewayLimit limit = getConfig().get(routeId);
    if (limit == null && known == null) {
      limit = getConfig().get(RouteDefinitionRouteLocator.DEFAULT_FILTERS);
    }
    if (known != null && (limit == null || limit == known.source())) {
      return known;
    }
    RouteLimiter current =
        RouteLimiter.of(routeId, limit == null ? new GatewayLimit() : limit, policies, limiters);
    routes.put(routeId, current);
    return current;
  }

  private Response response(PolicyDecision decision) {
    Map<String, String> headers = fields.write(List.of(decision));
    boolean allowed = decision.decision().allowed();
    if (!allowed) {
      headers.put("Cache-Control", "no-store");
    }
    return new Response(allowed, headers);
  }

  /** Returns the names of the routes, without keys. */
  @Override
  public String toString() {
    String state = enabled ? routes.keySet().toString() : "disabled";
    return "SashGatewayRateLimiter" + state;
  }
}
