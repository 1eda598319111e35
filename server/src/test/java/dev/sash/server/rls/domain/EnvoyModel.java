package dev.sash.server.rls.domain;

import io.envoyproxy.envoy.config.route.v3.RateLimit;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * As much of Envoy as decides which descriptors a request has: what it does to the path, which
 * route it takes, and the actions there. By Envoy's documentation; Envoy itself is not at hand.
 */
final class EnvoyModel {
  /** Letters, digits, hyphen, dot, underscore and tilde: never escaped in a normalized path. */
  private static final Pattern ESCAPED_UNRESERVED =
      Pattern.compile(
          "%(4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae]|3[0-9]|2[de])", Pattern.CASE_INSENSITIVE);

  private final HttpConnectionManager http;

  EnvoyModel(HttpConnectionManager http) {
    this.http = http;
  }

  /** Descriptors such as {@code generic_key=login remote_address=203.0.113.9}. */
  String[] descriptors(String target, String address) {
    String path = normalized(target.split("\\?", 2)[0]);
    for (Route route : http.getRouteConfig().getVirtualHosts(0).getRoutesList()) {
      if (matches(route.getMatch(), path)) {
        return route.getRoute().getRateLimitsList().stream()
            .map(limit -> descriptor(limit, target, address))
            .toArray(String[]::new);
      }
    }
    return new String[0];
  }

  private String normalized(String written) {
    String path = written;
    if (http.getNormalizePath().getValue()) {
      path =
          ESCAPED_UNRESERVED
              .matcher(path)
              .replaceAll(m -> String.valueOf((char) Integer.parseInt(m.group(1), 16)));
      path = withoutDots(path);
    }
    return http.getMergeSlashes() ? path.replaceAll("/+", "/") : path;
  }

  private static String withoutDots(String path) {
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    return "/" + String.join("/", segments);
  }

  private static boolean matches(RouteMatch match, String path) {
    boolean anyCase = match.hasCaseSensitive() && !match.getCaseSensitive().getValue();
    String seen = anyCase ? path.toLowerCase(Locale.ROOT) : path;
    return switch (match.getPathSpecifierCase()) {
      case PREFIX -> seen.startsWith(match.getPrefix());
      case PATH -> seen.equals(match.getPath());
      case PATH_SEPARATED_PREFIX ->
          seen.equals(match.getPathSeparatedPrefix())
              || seen.startsWith(match.getPathSeparatedPrefix() + "/");
      default -> throw new UnsupportedOperationException(match.toString());
    };
  }

  private static String descriptor(RateLimit limit, String target, String address) {
    List<String> entries = new ArrayList<>();
    for (RateLimit.Action action : limit.getActionsList()) {
      entries.add(
          switch (action.getActionSpecifierCase()) {
            case GENERIC_KEY -> "generic_key=" + action.getGenericKey().getDescriptorValue();
            case REMOTE_ADDRESS -> "remote_address=" + address;
            case REQUEST_HEADERS -> action.getRequestHeaders().getDescriptorKey() + "=" + target;
            default -> throw new UnsupportedOperationException(action.toString());
          });
    }
    return String.join(" ", entries);
  }
}
