package dev.sash.server.http.guard;

import java.time.Duration;

/**
 * What clients of the HTTP port may take: connections, bytes and time. Immutable.
 *
 * @param maxConnections the most connections; further ones are closed as they come
 * @param maxHeaderBytes the most bytes of the header fields of a request, and of its first line
 * @param idleTimeout the time without a complete request after which a connection is closed
 * @param requestTimeout the time in which the head of a request must be complete, and then its
 *     body; also the time for the handshake of TLS
 * @param drainTimeout the time that requests in progress may take when the server stops
 */
public record HttpBounds(
    int maxConnections,
    int maxHeaderBytes,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration drainTimeout) {
  /** The least that can be set as {@code maxHeaderBytes}. */
  public static final int MIN_HEADER_BYTES = 1 << 10;

  /** The most that can be set as {@code maxHeaderBytes}. */
  public static final int MAX_HEADER_BYTES = 1 << 20;

  /** By default as much as nginx accepts from its clients and passes on. */
  private static final HttpBounds DEFAULTS =
      new HttpBounds(
          20_000, 32 << 10, Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofSeconds(10));

  /** Checks the bounds. */
  public HttpBounds {
    check("maxConnections", 1, Integer.MAX_VALUE, maxConnections);
    check("maxHeaderBytes", MIN_HEADER_BYTES, MAX_HEADER_BYTES, maxHeaderBytes);
    check("idleTimeout in seconds", 1, Integer.MAX_VALUE, idleTimeout.toSeconds());
    check("requestTimeout in seconds", 1, Integer.MAX_VALUE, requestTimeout.toSeconds());
  }

  private static void check(String name, long least, long most, long value) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be between " + least + " and " + most + ", was " + value);
    }
  }

  /**
   * Returns the defaults: 20,000 connections, 32 KiB of header fields, a minute to be idle, ten
   * seconds to send a request and ten seconds to drain.
   *
   * @return the defaults
   */
  public static HttpBounds defaults() {
    return DEFAULTS;
  }

  /**
   * Returns these bounds with another maximum of connections.
   *
   * @param maxConnections 1 or more
   * @return the bounds
   */
  public HttpBounds withMaxConnections(int maxConnections) {
    return new HttpBounds(
        maxConnections, maxHeaderBytes, idleTimeout, requestTimeout, drainTimeout);
  }

  /**
   * Returns these bounds with another size of heads.
   *
   * @param maxHeaderBytes 1 KiB to 1 MiB
   * @return the bounds
   */
  public HttpBounds withMaxHeaderBytes(int maxHeaderBytes) {
    return new HttpBounds(
        maxConnections, maxHeaderBytes, idleTimeout, requestTimeout, drainTimeout);
  }

  /**
   * Returns these bounds with another time after which idle connections are closed.
   *
   * @param idleTimeout a second or more
   * @return the bounds
   */
  public HttpBounds withIdleTimeout(Duration idleTimeout) {
    return new HttpBounds(
        maxConnections, maxHeaderBytes, idleTimeout, requestTimeout, drainTimeout);
  }

  /**
   * Returns these bounds with another time in which requests must be sent.
   *
   * @param requestTimeout a second or more
   * @return the bounds
   */
  public HttpBounds withRequestTimeout(Duration requestTimeout) {
    return new HttpBounds(
        maxConnections, maxHeaderBytes, idleTimeout, requestTimeout, drainTimeout);
  }
}
