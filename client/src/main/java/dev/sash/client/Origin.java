package dev.sash.client;

import java.net.URI;
import java.util.Locale;
import java.util.Objects;

/** The scheme, host and port of a URI, such as {@code https://api.example.com}. */
final class Origin {
  /** Host names have at most 253 characters. A key of this length fits into every store. */
  private static final int MAX_LENGTH = 300;

  private Origin() {}

  /**
   * Returns the origin of a URI in lower case, without a port that is the default of its scheme.
   *
   * @throws IllegalArgumentException if the URI has no scheme or no host, or a host that is too
   *     long. The message does not contain the URI, which may hold secrets
   */
  static String of(URI target) {
    Objects.requireNonNull(target, "target must not be null");
    String scheme = target.getScheme();
    String authority = target.getRawAuthority();
    if (scheme == null || authority == null) {
      throw new IllegalArgumentException(
          "target must have a scheme and a host, had "
              + (scheme == null ? "no scheme" : "the scheme '" + scheme + "' and no host"));
    }
    // Not getHost(): it is null for names with underscores.
    String address = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = address.lastIndexOf(':');
    boolean hasPort = colon > address.lastIndexOf(']');
    String host = withoutTrailingDot(hasPort ? address.substring(0, colon) : address);
    if (host.isEmpty()) {
      throw new IllegalArgumentException("target must have a host, had none");
    }
    scheme = scheme.toLowerCase(Locale.ROOT);
    String port = hasPort ? withoutLeadingZeros(address.substring(colon + 1)) : "";
    boolean isDefault = port.isEmpty() || port.equals(defaultPort(scheme));
    String origin = scheme + "://" + host.toLowerCase(Locale.ROOT) + (isDefault ? "" : ':' + port);
    if (origin.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "target's scheme, host and port must have at most "
              + MAX_LENGTH
              + " characters, had "
              + origin.length());
    }
    return origin;
  }

  private static String withoutTrailingDot(String host) {
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  private static String withoutLeadingZeros(String port) {
    int start = 0;
    while (start < port.length() - 1 && port.charAt(start) == '0') {
      start++;
    }
    return port.substring(start);
  }

  private static String defaultPort(String scheme) {
    return switch (scheme) {
      case "http", "ws" -> "80";
      case "https", "wss" -> "443";
      default -> "";
    };
  }
}
