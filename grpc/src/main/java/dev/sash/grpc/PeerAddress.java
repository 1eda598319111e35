package dev.sash.grpc;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The key of the other end of a connection. */
final class PeerAddress {
  private PeerAddress() {}

  /**
   * The IPv4 address, or the /64 network of an IPv6 address. (Java itself makes IPv4 of IPv4 mapped
   * into IPv6.)
   */
  static String keyOf(@Nullable SocketAddress peer) {
    if (!(peer instanceof InetSocketAddress inet) || inet.getAddress() == null) {
      return "ip:unknown";
    }
    InetAddress address = inet.getAddress();
    return "ip:" + (address instanceof Inet6Address ? network(address) : address.getHostAddress());
  }

  /** Its second half is zeros, and so at least as long as any other gap: the gap stands there. */
  private static String network(InetAddress address) {
    byte[] bytes = address.getAddress();
    StringBuilder text = new StringBuilder();
    String zeros = "";
    for (int i = 0; i < 8; i += 2) {
      int group = ((bytes[i] & 255) << 8) | (bytes[i + 1] & 255);
      zeros += (text.isEmpty() && zeros.isEmpty() ? "" : ":") + Integer.toHexString(group);
      if (group != 0) {
        text.append(zeros);
        zeros = "";
      }
    }
    return text + "::/64";
  }
}
