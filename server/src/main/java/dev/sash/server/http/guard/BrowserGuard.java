package dev.sash.server.http.guard;

import dev.sash.address.IpAddress;
import dev.sash.server.http.exchange.Refusal;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a web page made a browser send. A page can reach a server on the loopback
 * address or in the local network of its visitors, and send simple requests without permission:
 * bodies of type {@code text/plain}, or an image whose address spends a permit. Immutable.
 *
 * <ul>
 *   <li>Browsers mark requests of other origins: {@code Sec-Fetch-Site}, {@code Origin}.
 *   <li>A page whose name is made to resolve to this server's address (DNS rebinding) is of the
 *       same origin as the server. It is recognized by its name: {@code Host} must be an address, a
 *       loopback name or a configured name.
 *   <li>To plain HTTP outside of loopback, browsers send an image request without any mark. So
 *       requests by {@code GET} that spend permits are refused to all browsers.
 * </ul>
 */
public final class BrowserGuard {
  /** Any name is accepted. */
  static final String ANY_HOST = "*";

  private final Set<String> allowedHosts;

  /**
   * Creates a guard.
   *
   * @param allowedHosts names of this server, in lower case; {@link #ANY_HOST} for any
   */
  public BrowserGuard(Set<String> allowedHosts) {
    this.allowedHosts = Set.copyOf(allowedHosts);
  }

  /**
   * Returns if a program sent the request, or a page of this server.
   *
   * @throws Refusal otherwise
   */
  public void admit(HttpServerRequest request, boolean isGet) {
    HostAndPort authority = request.authority();
    String host = authority == null ? null : authority.host();
    if (host != null && !isOwn(host)) {
      throw new Refusal(
          421,
          "Host must be an address, a loopback name or one of --allowed-hosts; the name in this"
              + " request is none of them");
    }
    MultiMap headers = request.headers();
    String site = headers.get("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw refusal();
    }
    String origin = headers.get("Origin");
    if (origin != null && !isSameOrigin(origin, authority)) {
      throw refusal();
    }
    String agent = isGet && site == null ? headers.get("User-Agent") : null;
    if (agent != null && agent.startsWith("Mozilla/")) {
      throw refusal();
    }
  }

  private static Refusal refusal() {
    return new Refusal(403, "requests of web pages and browsers are not accepted here");
  }

  private boolean isOwn(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || isAddress(name)
        || allowedHosts.contains(name)
        || allowedHosts.contains(ANY_HOST);
  }

  /** A name server has no say in what an address means. */
  private static boolean isAddress(String host) {
    boolean inBrackets = host.startsWith("[") && host.endsWith("]");
    String address = inBrackets ? host.substring(1, host.length() - 1) : host;
    return IpAddress.parseOrNull(address) != null;
  }

  private static boolean isSameOrigin(String origin, @Nullable HostAndPort authority) {
    int scheme = origin.indexOf("://");
    return scheme > 0
        && authority != null
        && origin.substring(scheme + 3).equalsIgnoreCase(authority.toString());
  }
}
