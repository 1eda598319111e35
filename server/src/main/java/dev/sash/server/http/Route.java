package dev.sash.server.http;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What there is: the paths of the API and their methods. */
enum Route {
  CHECK("/v1/check", "POST"),
  CHECK_BY_PATH("/v1/check/{policy}/{key}", "GET"),
  BATCH("/v1/check:batch", "POST"),
  PEEK("/v1/peek", "POST"),
  REFUND("/v1/refund", "POST"),
  RESET("/v1/reset", "POST"),
  INSPECT("/v1/inspect/{policy}/{key}", "GET"),
  EXPLAIN("/v1/explain", "GET"),
  POLICIES("/v1/policies", "GET, HEAD"),
  CONFIGURATION("/v1/config", "GET, HEAD"),
  RELOAD("/v1/reload", "POST"),
  STATISTICS("/v1/statistics", "GET, HEAD"),
  POLICY_STATISTICS("/v1/statistics/{policy}", "GET, HEAD"),
  DENIALS("/v1/denials", "GET, HEAD"),
  OVERRIDES("/v1/overrides", "GET, HEAD"),
  OVERRIDE("/v1/overrides/{policy}", "PUT, DELETE"),
  AUDIT("/v1/audit", "GET, HEAD"),
  /** Proxies use the method of the original request. */
  FORWARD_AUTH("/v1/forward-auth/{policy}", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
  LIVENESS("/livez", "GET, HEAD"),
  READINESS("/readyz", "GET, HEAD"),
  METRICS("/metrics", "GET, HEAD"),
  OPENAPI_JSON("/openapi.json", "GET, HEAD"),
  OPENAPI_YAML("/openapi.yaml", "GET, HEAD"),
  INDEX("/", "GET, HEAD");

  private static final Map<String, Route> WHOLE = new HashMap<>();
  private static final Map<Route, String> PREFIXES = new EnumMap<>(Route.class);
  private static final Map<Route, Set<String>> METHODS = new EnumMap<>(Route.class);

  static {
    for (Route route : values()) {
      METHODS.put(route, Set.of(route.methods.split(", ")));
      int brace = route.template.indexOf('{');
      if (brace < 0) {
        WHOLE.put(route.template, route);
      } else {
        PREFIXES.put(route, route.template.substring(0, brace));
      }
    }
  }

  private final String template;
  private final String methods;
  private final int parameters;
  private final String id = name().toLowerCase(Locale.ROOT);

  Route(String template, String methods) {
    this.template = template;
    this.methods = methods;
    this.parameters = (int) template.chars().filter(c -> c == '{').count();
  }

  /** The path, with parameters in braces. */
  String template() {
    return template;
  }

  /** As the field {@code Allow} lists them. */
  String methods() {
    return methods;
  }

  boolean allows(String method) {
    return Objects.requireNonNull(METHODS.get(this)).contains(method);
  }

  /** Returns whether it spends, refunds or reports permits, and so is not for web pages. */
  boolean isGuarded() {
    return template.startsWith("/v1/");
  }

  /** How meters call it. */
  String id() {
    return id;
  }

  /**
   * A route, and its parameters, still percent-encoded. Behind those of {@link #FORWARD_AUTH} there
   * may be one more: the rest of the path.
   */
  record Match(Route route, List<String> parameters) {}

  private static @Nullable Match match(Route route, String parameters) {
    int slash = parameters.indexOf('/');
    if (route == FORWARD_AUTH && slash >= 0) {
      // Envoy puts its prefix in front of the original path.
      return new Match(route, List.of(parameters.substring(0, slash), parameters.substring(slash)));
    }
    List<String> parts = List.of(parameters.split("/", -1));
    return parts.size() == route.parameters ? new Match(route, parts) : null;
  }

  /** The route of a path; null if there is none. */
  static @Nullable Match of(String path) {
    Route whole = WHOLE.get(path);
    if (whole != null) {
      return new Match(whole, List.of());
    }
    for (Map.Entry<Route, String> candidate : PREFIXES.entrySet()) {
      String prefix = candidate.getValue();
      if (path.startsWith(prefix)) {
        return match(candidate.getKey(), path.substring(prefix.length()));
      }
    }
    return null;
  }
}
