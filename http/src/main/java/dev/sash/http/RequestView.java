package dev.sash.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the server received it: what an adapter has to tell. Nothing in it is believed or
 * decoded yet; {@link IncomingRequest} does both, in one place for every server.
 */
public interface RequestView {
  /**
   * The method.
   *
   * @return for example {@code GET}
   */
  String method();

  /**
   * The path as it was sent: still percent-encoded, without the query.
   *
   * @return for example {@code /shop/caf%C3%A9}
   */
  String path();

  /**
   * The part of the path under which the application lives; rules see what follows it.
   *
   * @return for example {@code /shop}; empty if the application lives at the root
   */
  default String contextPath() {
    return "";
  }

  /**
   * The query as it was sent: still percent-encoded, without the question mark.
   *
   * @return null if there is none
   */
  @Nullable String query();

  /**
   * All lines of a header field, as they were received.
   *
   * @param name the field's name, in any case
   * @return the values from the first line to the last; empty if there is none
   */
  List<String> headers(String name);

  /**
   * The first line of a header field, for views that find it without the others.
   *
   * @param name the field's name, in any case
   * @return as it was received; null if there is none
   */
  default @Nullable String header(String name) {
    List<String> lines = headers(name);
    return lines.isEmpty() ? null : lines.get(0);
  }

  /**
   * The address at the other end of the connection, not what any header says.
   *
   * @return an IP address; null or anything else where there is none, as on a Unix socket
   */
  @Nullable String peerAddress();

  /**
   * Who was authenticated.
   *
   * @return null if nobody was, or not yet
   */
  default @Nullable String principal() {
    return null;
  }

  /**
   * The pattern by which the server chose the handler.
   *
   * @return for example {@code /users/{id}}; null if it is not known, or not yet
   */
  default @Nullable String routeTemplate() {
    return null;
  }
}
