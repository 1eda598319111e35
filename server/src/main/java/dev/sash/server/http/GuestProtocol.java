package dev.sash.server.http;

import io.vertx.core.http.HttpServerRequest;

/** Another protocol that is spoken on the HTTP port, such as gRPC. Thread-safe. */
public interface GuestProtocol {
  /**
   * Whether a request is of this protocol. Asked about every request: must be quick.
   *
   * @param request the request, of which nothing was read but its head
   * @return true if {@link #handle} is to have it
   */
  boolean accepts(HttpServerRequest request);

  /**
   * Answers a request, on the event loop of its connection.
   *
   * @param request one that was accepted
   */
  void handle(HttpServerRequest request);
}
