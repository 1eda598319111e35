package dev.sash.http;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import dev.sash.http.internal.ForwardingHops;
import dev.sash.http.internal.HttpSyntax;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The trusted proxies before the server, and the header field in which they report the client's
 * address. Immutable.
 *
 * <pre>{@code
 * TrustedProxies.none()                                       // the default: the peer is the client
 * TrustedProxies.xForwardedFor("10.0.0.0/8", "2001:db8::/32")
 * TrustedProxies.forwarded("10.0.0.0/8")                      // RFC 7239
 * TrustedProxies.header("CF-Connecting-IP", "173.245.48.0/20")
 * }</pre>
 *
 * <p>Only one field is read, the one that the proxies write: they forward unknown fields as the
 * client sent them. If the peer is trusted, the field is read from its right end past every trusted
 * hop; the first other address is the client. If a hop on that way is malformed, the client is the
 * peer. List the proxies only, not networks that contain clients: a trusted client can claim any
 * address.
 */
public final class TrustedProxies {
  private enum Syntax {
    LIST,
    FORWARDED,
    SINGLE
  }

  private static final TrustedProxies NOBODY =
      new TrustedProxies("X-Forwarded-For", Syntax.LIST, AddressRanges.NONE);

  private final String field;
  private final Syntax syntax;
  private final AddressRanges trusted;

  private TrustedProxies(String field, Syntax syntax, AddressRanges trusted) {
    this.field = field;
    this.syntax = syntax;
    this.trusted = trusted;
  }

  /**
   * Returns no proxies: the client is the peer of the connection.
   *
   * @return the default
   */
  public static TrustedProxies none() {
    return NOBODY;
  }

  /**
   * Returns proxies that write {@code X-Forwarded-For}.
   *
   * @param ranges their networks, as {@link AddressRanges} parses them
   * @return the proxies
   */
  public static TrustedProxies xForwardedFor(String... ranges) {
    return new TrustedProxies("X-Forwarded-For", Syntax.LIST, AddressRanges.of(ranges));
  }

  /**
   * Returns proxies that write {@code X-Forwarded-For}.
   *
   * @param ranges their networks
   * @return the proxies
   */
  public static TrustedProxies xForwardedFor(AddressRanges ranges) {
    return new TrustedProxies(
        "X-Forwarded-For", Syntax.LIST, Objects.requireNonNull(ranges, "ranges must not be null"));
  }

  /**
   * Returns proxies that write {@code Forwarded} (RFC 7239).
   *
   * @param ranges their networks, as {@link AddressRanges} parses them
   * @return the proxies
   */
  public static TrustedProxies forwarded(String... ranges) {
    return new TrustedProxies("Forwarded", Syntax.FORWARDED, AddressRanges.of(ranges));
  }

  /**
   * Returns proxies that write the client's address, and nothing else, into a field, and replace
   * the value that the client sent.
   *
   * @param field the field's name, such as {@code X-Real-IP}
   * @param ranges their networks, as {@link AddressRanges} parses them
   * @return the proxies
   */
  public static TrustedProxies header(String field, String... ranges) {
    return new TrustedProxies(
        HttpSyntax.checkedToken("field", field), Syntax.SINGLE, AddressRanges.of(ranges));
  }

  /**
   * Returns whether an address belongs to a proxy.
   *
   * @param address may be null, which is never trusted
   * @return true if it is trusted
   */
  public boolean trust(@Nullable IpAddress address) {
    return trusted.contains(address);
  }

  /**
   * Returns the address of the client.
   *
   * @param request the request
   * @return the client's address; null if the peer has none
   */
  public @Nullable IpAddress clientOf(RequestView request) {
    Objects.requireNonNull(request, "request must not be null");
    IpAddress peer = IpAddress.parsePeer(request.peerAddress());
    if (!trust(peer)) {
      return peer;
    }
    List<String> lines = request.headers(field);
    IpAddress client = syntax == Syntax.SINGLE ? single(lines) : followed(lines);
    return client == null ? peer : client;
  }

  private static @Nullable IpAddress single(List<String> lines) {
    return lines.size() == 1 ? ForwardingHops.address(lines.get(0).strip()) : null;
  }

  private @Nullable IpAddress followed(List<String> lines) {
    ForwardingHops hops = new ForwardingHops(lines, syntax == Syntax.FORWARDED);
    IpAddress furthest = null;
    for (String hop = hops.next(); hop != null; hop = hops.next()) {
      String node = syntax == Syntax.FORWARDED ? ForwardingHops.forwardedFor(hop) : hop;
      furthest = node == null ? null : ForwardingHops.address(node);
      if (!trust(furthest)) {
        return furthest;
      }
    }
    return furthest;
  }

  /** Returns the field and the networks. */
  @Override
  public String toString() {
    return field + " from " + trusted;
  }
}
