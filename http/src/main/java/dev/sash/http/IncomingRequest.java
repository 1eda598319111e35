package dev.sash.http;

import dev.sash.address.IpAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request as rules, keys and costs see it: decoded, and with its client found out. For one thread
 * at a time.
 */
public final class IncomingRequest {
  private final RequestView view;
  private final TrustedProxies proxies;
  private @Nullable RequestPath path;
  private @Nullable IpAddress client;
  private boolean clientKnown;

  /**
   * A request, to be read with trust in those proxies.
   *
   * @param view as the server received it
   * @param proxies who may say for whom they ask
   */
  public IncomingRequest(RequestView view, TrustedProxies proxies) {
    this.view = Objects.requireNonNull(view, "view must not be null");
    this.proxies = Objects.requireNonNull(proxies, "proxies must not be null");
  }

  /**
   * The request as the server received it.
   *
   * @return the view
   */
  public RequestView view() {
    return view;
  }

  /**
   * The method.
   *
   * @return as it was sent
   */
  public String method() {
    return view.method();
  }

  /**
   * The path within the application: decoded once, without empty segments, path parameters and
   * dots.
   *
   * @return begins with a slash and does not end with one, unless it is all
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
   * The client's address, as far as it can be trusted.
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
   * Whether the request came from a trusted proxy, so that header fields which only proxies set can
   * be believed.
   *
   * @return true if the peer is trusted
   */
  public boolean fromTrustedProxy() {
    return proxies.trust(IpAddress.parsePeer(view.peerAddress()));
  }

  /**
   * A header field.
   *
   * @param name its name, in any case
   * @return the first line without white space around it, as most servers give it to applications;
   *     null if there is none
   */
  public @Nullable String header(String name) {
    String line = view.header(name);
    return line == null ? null : line.strip();
  }

  /**
   * A parameter of the query; never of the body.
   *
   * @param name its name
   * @return its first value, decoded; null if there is none
   */
  public @Nullable String queryParameter(String name) {
    return HttpSyntax.queryParameter(view.query(), name);
  }

  /**
   * A cookie.
   *
   * @param name its name
   * @return its first value; null if there is none
   */
  public @Nullable String cookie(String name) {
    return HttpSyntax.cookie(view.headers("Cookie"), name);
  }

  /**
   * Who was authenticated.
   *
   * @return null if nobody was, or not yet
   */
  public @Nullable String principal() {
    return view.principal();
  }

  /**
   * The pattern by which the server chose the handler.
   *
   * @return null if it is not known, or not yet
   */
  public @Nullable String routeTemplate() {
    return view.routeTemplate();
  }
}
