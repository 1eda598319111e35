package dev.sash.server.http;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.net.TlsFiles;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where and how HTTP is spoken. Immutable.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for any that is free
 * @param tls the files of TLS; null for no TLS
 * @param tokens the tokens of operators; without any, operators are callers on this machine
 * @param allowedHosts the names in lower case by which clients may address this server, besides
 *     {@code localhost} and addresses; {@code *} for any
 * @param bounds what clients may take
 */
public record HttpOptions(
    String host,
    int port,
    @Nullable TlsFiles tls,
    OperatorTokens tokens,
    Set<String> allowedHosts,
    HttpBounds bounds) {

  /** Checks the port, and copies the names. */
  public HttpOptions {
    Objects.requireNonNull(host, "host must not be null");
    Objects.requireNonNull(tokens, "tokens must not be null");
    Objects.requireNonNull(bounds, "bounds must not be null");
    allowedHosts = Set.copyOf(allowedHosts);
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be between 0 and 65535, was " + port);
    }
  }

  /**
   * Returns the defaults: without TLS, tokens and further names, and {@link HttpBounds#defaults}.
   *
   * @param host the address to listen on
   * @param port the port to listen on; 0 for any that is free
   * @return the options
   */
  public static HttpOptions at(String host, int port) {
    return new HttpOptions(
        host, port, null, OperatorTokens.none(), Set.of(), HttpBounds.defaults());
  }

  /**
   * These options with TLS.
   *
   * @param tls the files of TLS; null for no TLS
   * @return the options
   */
  public HttpOptions withTls(@Nullable TlsFiles tls) {
    return new HttpOptions(host, port, tls, tokens, allowedHosts, bounds);
  }

  /**
   * Returns these options with tokens of operators.
   *
   * @param tokens the tokens
   * @return the options
   */
  public HttpOptions withTokens(OperatorTokens tokens) {
    return new HttpOptions(host, port, tls, tokens, allowedHosts, bounds);
  }

  /**
   * Returns these options with names of this server.
   *
   * @param names the names in lower case; {@code *} for any
   * @return the options
   */
  public HttpOptions withAllowedHosts(Set<String> names) {
    return new HttpOptions(host, port, tls, tokens, names, bounds);
  }

  /**
   * Returns these options with other bounds.
   *
   * @param bounds what clients may take
   * @return the options
   */
  public HttpOptions withBounds(HttpBounds bounds) {
    return new HttpOptions(host, port, tls, tokens, allowedHosts, bounds);
  }

  /** Returns where the port is. */
  @Override
  public String toString() {
    return (tls == null ? "http" : "https") + " at " + host + ":" + port;
  }
}
