package dev.sash.server.http;

import dev.sash.http.RequestView;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request that a proxy asks about: what it tells of it in header fields, and otherwise the
 * request with which it asks.
 */
final class ForwardedRequest implements RequestView {
  private final HttpServerRequest request;
  private final String uri;

  ForwardedRequest(HttpServerRequest request) {
    this.request = request;
    this.uri = told("/", "X-Forwarded-Uri", "X-Original-URI");
  }

  /** The first of the fields that is there. */
  private String told(String otherwise, String... fields) {
    for (String field : fields) {
      String value = request.getHeader(field);
      if (value != null && !value.isEmpty()) {
        return value;
      }
    }
    return otherwise;
  }

  @Override
  public String method() {
    return told(request.method().name(), "X-Forwarded-Method", "X-Original-Method");
  }

  /** To which host the request went. */
  String host() {
    return told("", "X-Forwarded-Host", "X-Original-Host", HttpHeaders.HOST.toString());
  }

  @Override
  public String path() {
    int end = uri.indexOf('?');
    return end < 0 ? uri : uri.substring(0, end);
  }

  @Override
  public @Nullable String query() {
    int start = uri.indexOf('?');
    return start < 0 ? null : uri.substring(start + 1);
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
