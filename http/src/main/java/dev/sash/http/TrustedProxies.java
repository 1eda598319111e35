package dev.sash.http;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which proxies stand before the server, and in which header field they say for whom they ask.
 * Immutable.
 *
 * <pre>{@code
 * TrustedProxies.none()                                       // the default: the peer is the client
 * TrustedProxies.xForwardedFor("10.0.0.0/8", "2001:db8::/32")
 * TrustedProxies.forwarded("10.0.0.0/8")                      // RFC 7239
 * TrustedProxies.header("CF-Connecting-IP", "173.245.48.0/20")
 * }</pre>
 *
 * <p>Only one field is read, the one that your proxies write: a field they do not know they pass on
 * as the client sent it. If the peer is trusted, the field is followed from its right end past
 * every trusted hop; the first other address is the client. If a hop on that way cannot be read,
 * the client is the peer. Name the proxies alone, not networks in which clients live: a trusted
 * client can say that it is anybody.
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
   * Nobody is trusted: the client is whoever opened the connection.
   *
   * @return the default
   */
  public static TrustedProxies none() {
    return NOBODY;
  }

  /**
   * Proxies that write {@code X-Forwarded-For}.
   *
   * @param ranges their networks, as {@link AddressRanges} reads them
   * @return the proxies
   */
  public static TrustedProxies xForwardedFor(String... ranges) {
    return new TrustedProxies("X-Forwarded-For", Syntax.LIST, AddressRanges.of(ranges));
  }

  /**
   * {@link #xForwardedFor(String...)} for those who have the networks read already.
   *
   * @param ranges their networks
   * @return the proxies
   */
  public static TrustedProxies xForwardedFor(AddressRanges ranges) {
    return new TrustedProxies(
        "X-Forwarded-For", Syntax.LIST, Objects.requireNonNull(ranges, "ranges must not be null"));
  }

  /**
   * Proxies that write {@code Forwarded} (RFC 7239).
   *
   * @param ranges their networks, as {@link AddressRanges} reads them
   * @return the proxies
   */
  public static TrustedProxies forwarded(String... ranges) {
    return new TrustedProxies("Forwarded", Syntax.FORWARDED, AddressRanges.of(ranges));
  }

  /**
   * Proxies that write the client's address, and nothing else, into a field of their own, and
   * replace what the client sent under that name.
   *
   * @param field the field's name, such as {@code X-Real-IP}
   * @param ranges their networks, as {@link AddressRanges} reads them
   * @return the proxies
   */
  public static TrustedProxies header(String field, String... ranges) {
    return new TrustedProxies(
        HttpSyntax.checkedToken("field", field), Syntax.SINGLE, AddressRanges.of(ranges));
  }

  /**
   * Whether an address is one of the proxies'.
   *
   * @param address may be null, which is never trusted
   * @return true if it is trusted
   */
  public boolean trust(@Nullable IpAddress address) {
    return trusted.contains(address);
  }

  /**
   * Who asks.
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

  /** The field and the networks, for people. */
  @Override
  public String toString() {
    return field + " from " + trusted;
  }
}
