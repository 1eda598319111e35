package dev.sash.server.net;

import dev.sash.address.AddressRanges;
import dev.sash.address.IpAddress;
import dev.sash.key.Keys;
import org.jspecify.annotations.Nullable;

/**
 * The address of the other end of a connection.
 *
 * @param text the address without its port; empty if there is none
 * @param network a name of the network that one client is likely to control: the IPv4 address, or
 *     the /64 network of the IPv6 address
 * @param isLoopback whether the other end is on this machine
 */
public record PeerAddress(String text, String network, boolean isLoopback) {
  private static final AddressRanges LOOPBACK = AddressRanges.of("127.0.0.0/8", "::1");

  /**
   * Returns the address that a server reports for a connection.
   *
   * @param text such as {@code 192.0.2.1} or {@code fe80::1%eth0}; null if there is none, as on a
   *     Unix socket
   * @return the address
   */
  public static PeerAddress of(@Nullable String text) {
    IpAddress address = IpAddress.parsePeer(text);
    return new PeerAddress(
        text == null ? "" : text, Keys.ofAddress(address), LOOPBACK.contains(address));
  }
}
