package dev.sash.http;

import dev.sash.address.IpAddress;
import dev.sash.http.internal.HttpSyntax;
import dev.sash.http.internal.RequestPath;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request as rules, keys and costs see it: decoded, and with the client's address resolved. Not
 * thread-safe.
 */
public final class IncomingRequest {
  private final RequestView view;
  private final TrustedProxies proxies;
  private @Nullable RequestPath path;
  private @Nullable IpAddress client;
  private boolean clientKnown;

  /**
   * Creates a request.
   *
   * @param view the request as the server received it
   * @param proxies the proxies that may report the client's address
   */
  public IncomingRequest(RequestView view, TrustedProxies proxies) {
    this.view = Objects.requireNonNull(view, "view must not be null");
    this.proxies = Objects.requireNonNull(proxies, "proxies must not be null");
  }

  /**
   * Returns the request as the server received it.
   *
   * @return the view
   */
  public RequestView view() {
    return view;
  }

  /**
   * Returns the method.
   *
   * @return as it was sent
   */
  public String method() {
    return view.method();
  }

  /**
   * Returns the path within the application: decoded once, without empty segments, path parameters
   * and dot segments.
   *
   * @return begins with a slash and does not end with one, except for the root
   */
  public String path() {
    return requestPath().toString();
  }

  RequestPath requestPath() {
    RequestPath known = path;
    if (known == null) {
      known = RequestPath.of(view.path());
      if (!view.contextPath().isEmpty()) {
        known = known.after(RequestPath.of(view.contextPath()));
      }
      path = known;
    }
    return known;
  }

  /**
   * Returns the client's address, as far as it can be trusted.
   *
   * @return null if the peer has no address, as on a Unix socket
   */
  public @Nullable IpAddress client() {
    if (!clientKnown) {
      client = proxies.clientOf(view);
      clientKnown = true;
    }
    return client;
  }

  /**
   * Returns whether the request came from a trusted proxy, so that header fields set by proxies can
   * be trusted.
   *
   * @return true if the peer is trusted
   */
  public boolean fromTrustedProxy() {
    return proxies.trust(IpAddress.parsePeer(view.peerAddress()));
  }

  /**
   * Returns a header field.
   *
   * @param name the field's name, in any case
   * @return the first line without surrounding white space; null if there is none
   */
  public @Nullable String header(String name) {
    String line = view.header(name);
    return line == null ? null : line.strip();
  }

  /**
   * Returns a parameter of the query, never of the body.
   *
   * @param name the parameter's name
   * @return its first value, decoded; null if there is none
   */
  public @Nullable String queryParameter(String name) {
    return HttpSyntax.queryParameter(view.query(), name);
  }

  /**
   * Returns a cookie.
   *
   * @param name the cookie's name
   * @return its first value; null if there is none
   */
  public @Nullable String cookie(String name) {
    return HttpSyntax.cookie(view.headers("Cookie"), name);
  }

  /**
   * Returns the name of the authenticated user.
   *
   * @return null if the request is not authenticated, or not yet
   */
  public @Nullable String principal() {
    return view.principal();
  }

  /**
   * Returns the name with which the client tries to log in. Nothing has been verified.
   *
   * @return null if the request does not try to log in by name
   */
  public @Nullable String loginName() {
    return view.loginName();
  }

  /**
   * Returns the pattern of the handler.
   *
   * @return null if it is unknown, or not yet known
   */
  public @Nullable String routeTemplate() {
    return view.routeTemplate();
  }
}
