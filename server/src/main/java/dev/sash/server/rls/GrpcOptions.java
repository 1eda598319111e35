package dev.sash.server.rls;

import dev.sash.server.net.TlsFiles;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where and how gRPC is spoken. Immutable.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any that is free
 * @param tls the files of TLS; null for no TLS
 * @param maxConnections how many connections there may be; more are closed as they come
 * @param idleTimeout the time without a call after which a connection is closed
 * @param requestTimeout the time in which the request of a call must be complete; also the time to
 *     begin to speak HTTP/2
 * @param drainTimeout how long calls under way may take when the server stops
 */
public record GrpcOptions(
    String host,
    int port,
    @Nullable TlsFiles tls,
    int maxConnections,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration drainTimeout) {
  /** Checks the numbers. */
  public GrpcOptions {
    Objects.requireNonNull(host, "host must not be null");
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be between 0 and 65535, was " + port);
    }
    if (maxConnections < 1) {
      throw new IllegalArgumentException("maxConnections must be 1 or more, was " + maxConnections);
    }
    checkSeconds("idleTimeout", idleTimeout);
    checkSeconds("requestTimeout", requestTimeout);
  }

  private static void checkSeconds(String name, Duration time) {
    if (time.toSeconds() < 1) {
      throw new IllegalArgumentException(name + " must be 1 s or more, was " + time);
    }
  }

  /**
   * Returns the defaults: without TLS, 20,000 connections, a minute to be idle, ten seconds to send
   * a request and ten seconds to drain.
   *
   * @param host the address to listen on
   * @param port the port to listen on; 0 for any that is free
   * @return the options
   */
  public static GrpcOptions at(String host, int port) {
    return new GrpcOptions(
        host,
        port,
        null,
        20_000,
        Duration.ofMinutes(1),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10));
  }

  /**
   * Returns these options with TLS.
   *
   * @param tls the files of TLS; null for no TLS
   * @return the options
   */
  public GrpcOptions withTls(@Nullable TlsFiles tls) {
    return new GrpcOptions(
        host, port, tls, maxConnections, idleTimeout, requestTimeout, drainTimeout);
  }

  /**
   * Returns these options with another maximum of connections.
   *
   * @param most 1 or more
   * @return the options
   */
  public GrpcOptions withMaxConnections(int most) {
    return new GrpcOptions(host, port, tls, most, idleTimeout, requestTimeout, drainTimeout);
  }

  /**
   * Returns these options with other limits of time.
   *
   * @param idleTimeout the time without a call after which a connection is closed, 1 s or more
   * @param requestTimeout the time in which a request must be complete, 1 s or more
   * @return the options
   */
  public GrpcOptions withTimeouts(Duration idleTimeout, Duration requestTimeout) {
    return new GrpcOptions(
        host, port, tls, maxConnections, idleTimeout, requestTimeout, drainTimeout);
  }
}
