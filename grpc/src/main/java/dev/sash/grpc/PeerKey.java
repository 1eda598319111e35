package dev.sash.grpc;

import dev.sash.address.IpAddress;
import dev.sash.key.Keys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The key of the other end of a connection. */
final class PeerKey {
  private PeerKey() {}

  /** As {@link Keys#ofAddress(IpAddress)}; unknown on Unix sockets and within the process. */
  static String of(@Nullable SocketAddress peer) {
    InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
    return Keys.ofAddress(address == null ? null : IpAddress.of(address));
  }
}
