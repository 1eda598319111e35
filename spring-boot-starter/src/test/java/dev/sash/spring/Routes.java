package dev.sash.spring;

import java.util.ArrayList;
import java.util.List;

/** Properties of a gateway's routes, each of which has the path of its id. */
final class Routes {
  private final String prefix;
  private final String uri;
  private final List<String> properties = new ArrayList<>();
  private int routes;

  private Routes(String prefix, String uri) {
    this.prefix = prefix;
    this.uri = uri;
  }

  static Routes webFlux(Backend backend) {
    return new Routes("spring.cloud.gateway.server.webflux.", backend.uri());
  }

  /** Routes that the gateway answers itself. */
  static Routes answered() {
    Routes routes = new Routes("spring.cloud.gateway.server.webflux.", "no://op");
    routes.properties.add(routes.prefix + "default-filters[0]=SetStatus=200");
    return routes;
  }

  static Routes webMvc(Backend backend) {
    return new Routes("spring.cloud.gateway.server.webmvc.", backend.uri());
  }

  /** A route with one filter by its shortcut. */
  Routes shortcut(String id, String filter) {
    String route = route(id);
    properties.add(route + ".filters[0]=" + filter);
    return this;
  }

  /** A route with one filter and its arguments. */
  Routes filter(String id, String filter, String... arguments) {
    String route = route(id);
    properties.add(route + ".filters[0].name=" + filter);
    for (String argument : arguments) {
      properties.add(route + ".filters[0].args." + argument);
    }
    return this;
  }

  /** A route with Gateway's own filter. */
  Routes limited(String id, String... arguments) {
    return filter(id, "RequestRateLimiter", arguments);
  }

  private String route(String id) {
    String route = prefix + "routes[" + routes++ + "]";
    properties.add(route + ".id=" + id);
    properties.add(route + ".uri=" + uri);
    properties.add(route + ".predicates[0]=Path=/" + id + "/**");
    return route;
  }

  String[] properties() {
    return properties.toArray(String[]::new);
  }
}
