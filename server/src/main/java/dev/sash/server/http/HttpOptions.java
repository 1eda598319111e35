package dev.sash.server.http;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.net.TlsFiles;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where and how HTTP is spoken. Immutable.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any that is free
 * @param tls the files of TLS; null for no TLS
 * @param tokens the tokens of operators; without any, operators are callers on this machine
 * @param maxConnections how many connections there may be; more are closed as they come
 * @param idleTimeout after how long without a whole request a connection is closed
 * @param drainTimeout how long requests under way may take when the server stops
 */
public record HttpOptions(
    String host,
    int port,
    @Nullable TlsFiles tls,
    OperatorTokens tokens,
    int maxConnections,
    Duration idleTimeout,
    Duration drainTimeout) {

  /** Checks the numbers. */
  public HttpOptions {
    Objects.requireNonNull(host, "host must not be null");
    Objects.requireNonNull(tokens, "tokens must not be null");
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be between 0 and 65535, was " + port);
    }
    if (maxConnections < 1) {
      throw new IllegalArgumentException(
          "maximum of connections must be 1 or more, was " + maxConnections);
    }
    if (idleTimeout.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "idle timeout must be a second or more, was " + idleTimeout);
    }
  }

  /**
   * The defaults: without TLS and token, 20,000 connections, a minute to be idle, ten seconds to
   * drain.
   *
   * @param host the address to listen on
   * @param port the port to listen on; 0 for any that is free
   * @return the options
   */
  public static HttpOptions at(String host, int port) {
    return new HttpOptions(
        host,
        port,
        null,
        OperatorTokens.none(),
        20_000,
        Duration.ofMinutes(1),
        Duration.ofSeconds(10));
  }

  /**
   * These options with TLS.
   *
   * @param tls the files of TLS; null for no TLS
   * @return the options
   */
  public HttpOptions withTls(@Nullable TlsFiles tls) {
    return new HttpOptions(host, port, tls, tokens, maxConnections, idleTimeout, drainTimeout);
  }

  /**
   * Returns these options with tokens of operators.
   *
   * @param tokens the tokens
   * @return the options
   */
  public HttpOptions withTokens(OperatorTokens tokens) {
    return new HttpOptions(host, port, tls, tokens, maxConnections, idleTimeout, drainTimeout);
  }

  /**
   * These options with another maximum of connections.
   *
   * @param most 1 or more
   * @return the options
   */
  public HttpOptions withMaxConnections(int most) {
    return new HttpOptions(host, port, tls, tokens, most, idleTimeout, drainTimeout);
  }

  /**
   * These options with another time after which idle connections are closed.
   *
   * @param timeout a second or more
   * @return the options
   */
  public HttpOptions withIdleTimeout(Duration timeout) {
    return new HttpOptions(host, port, tls, tokens, maxConnections, timeout, drainTimeout);
  }

  /** Returns where the port is. */
  @Override
  public String toString() {
    return (tls == null ? "http" : "https") + " at " + host + ":" + port;
  }
}
