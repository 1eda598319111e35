package dev.sash.http;

import dev.sash.http.internal.HttpSyntax;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the server received it, implemented by adapters. Nothing in it is trusted or
 * decoded; {@link IncomingRequest} does that, in one place for every server.
 */
public interface RequestView {
  /**
   * Returns the method.
   *
   * @return for example {@code GET}
   */
  String method();

  /**
   * Returns the path as it was sent: percent-encoded, without the query.
   *
   * @return for example {@code /shop/caf%C3%A9}
   */
  String path();

  /**
   * Returns the part of the path that belongs to the application; rules see the rest.
   *
   * @return for example {@code /shop}; empty if the application is at the root
   */
  default String contextPath() {
    return "";
  }

  /**
   * Returns the query as it was sent: percent-encoded, without the question mark.
   *
   * @return null if there is none
   */
  @Nullable String query();

  /**
   * Returns all lines of a header field, as they were received.
   *
   * @param name the field's name, in any case
   * @return the values from the first line to the last; empty if there is none
   */
  List<String> headers(String name);

  /**
   * Returns the first line of a header field. Override it if that is faster than finding all lines.
   *
   * @param name the field's name, in any case
   * @return as it was received; null if there is none
   */
  default @Nullable String header(String name) {
    List<String> lines = headers(name);
    return lines.isEmpty() ? null : lines.get(0);
  }

  /**
   * Returns the address of the peer of the connection, regardless of header fields.
   *
   * @return an IP address; null or anything else if there is none, as on a Unix socket
   */
  @Nullable String peerAddress();

  /**
   * Returns the name of the authenticated user.
   *
   * @return null if the request is not authenticated, or not yet
   */
  default @Nullable String principal() {
    return null;
  }

  /**
   * Returns the name with which the client tries to log in. Nothing has been verified.
   *
   * @return the user of {@code Authorization: Basic} unless overridden; null if there is none
   */
  default @Nullable String loginName() {
    return HttpSyntax.basicUser(header("Authorization"));
  }

  /**
   * Returns the pattern of the handler.
   *
   * @return for example {@code /users/{id}}; null if it is unknown, or not yet known
   */
  default @Nullable String routeTemplate() {
    return null;
  }
}
