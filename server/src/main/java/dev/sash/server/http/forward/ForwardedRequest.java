package dev.sash.server.http.forward;

import dev.sash.config.ForwardedBy;
import dev.sash.http.RequestView;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The original request that a proxy forwards, as far as the proxy itself describes it.
 *
 * <p>A proxy overwrites the header fields of its own family and passes on all others as the client
 * sent them. So only that family is read, only if the peer is a trusted proxy, and only if a field
 * is there exactly once: a second line would be the client's. What is not known is null or empty,
 * and never guessed from another field.
 */
final class ForwardedRequest implements RequestView {
  private static final List<String> MARKS =
      List.of(
          "X-Forwarded-For",
          "Forwarded",
          "X-Real-IP",
          "X-Original-URI",
          "X-Forwarded-Uri",
          "X-Forwarded-Host");

  private final HttpServerRequest request;
  private final @Nullable String method;
  private final @Nullable String host;
  private final @Nullable String uri;

  /**
   * Creates the original request.
   *
   * @param request the request of the proxy
   * @param by the kind of proxy; {@code NONE} unless the peer is trusted
   * @param rest the path behind the policies, with which Envoy describes the original one
   */
  ForwardedRequest(HttpServerRequest request, ForwardedBy by, @Nullable String rest) {
    this.request = request;
    switch (by) {
      case NGINX -> {
        this.method = only("X-Original-Method");
        this.host = only("X-Original-Host");
        this.uri = only("X-Original-URI");
      }
      case TRAEFIK, CADDY -> {
        this.method = only("X-Forwarded-Method");
        this.host = only("X-Forwarded-Host");
        this.uri = only("X-Forwarded-Uri");
      }
      case ENVOY -> {
        HostAndPort authority = request.authority();
        String query = request.query();
        this.method = request.method().name();
        this.host = authority == null ? null : authority.toString();
        this.uri = (rest == null ? "/" : rest) + (query == null ? "" : "?" + query);
      }
      default -> {
        this.method = null;
        this.host = null;
        this.uri = null;
      }
    }
  }

  /** Returns whether there is a field that proxies add. */
  static boolean isMarked(MultiMap headers) {
    for (String field : MARKS) {
      if (headers.contains(field)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable String only(String field) {
    List<String> lines = request.headers().getAll(field);
    return lines.size() == 1 && !lines.get(0).isEmpty() ? lines.get(0) : null;
  }

  /** Returns the method; null if the proxy does not say. */
  @Nullable String originalMethod() {
    return method;
  }

  /** Returns the host, with the port if there is one; null if the proxy does not say. */
  @Nullable String originalHost() {
    return host;
  }

  /** Returns whether the path and the query are known. */
  boolean hasUri() {
    return uri != null;
  }

  @Override
  public String method() {
    return method == null ? "" : method;
  }

  @Override
  public String path() {
    int end = uri == null ? 0 : uri.indexOf('?');
    return uri == null ? "/" : end < 0 ? uri : uri.substring(0, end);
  }

  @Override
  public @Nullable String query() {
    int start = uri == null ? -1 : uri.indexOf('?');
    return uri == null || start < 0 ? null : uri.substring(start + 1);
  }

  @Override
  public List<String> headers(String name) {
    return request.headers().getAll(name);
  }

  @Override
  public @Nullable String peerAddress() {
    return request.remoteAddress().hostAddress();
  }
}
