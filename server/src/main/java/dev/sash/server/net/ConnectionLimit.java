package dev.sash.server.net;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the open connections of one port, and bounds how many there are, in all and from one
 * network. A connection counts from the moment it is accepted, before the handshake of TLS, until
 * it is closed. Thread-safe.
 */
public final class ConnectionLimit {
  /** Whether a connection may stay. */
  public enum Admission {
    /** It may. */
    ADMITTED,
    /** The port has too many connections. */
    TOO_MANY,
    /** The network of the client has too many connections, over all ports. */
    TOO_MANY_FROM_ADDRESS
  }

  private static final AttributeKey<Admission> ADMISSION =
      AttributeKey.valueOf(ConnectionLimit.class, "admission");

  private final int max;
  private final AddressConnections byAddress;
  private final Counter refused;
  private final AtomicInteger open = new AtomicInteger();

  /**
   * Creates a limit with meters: the gauge {@code sash.server.connections} and the counter {@code
   * sash.server.connections.refused}.
   *
   * @param protocol the protocol of the port, in meters
   * @param max the most connections of the port, 1 or more
   * @param byAddress counts those of each network
   * @param registry receives the meters
   */
  public ConnectionLimit(
      String protocol, int max, AddressConnections byAddress, MeterRegistry registry) {
    this.max = max;
    this.byAddress = byAddress;
    Gauge.builder("sash.server.connections", open, AtomicInteger::get)
        .description("Connections that are open")
        .tag("protocol", protocol)
        .strongReference(true)
        .register(registry);
    this.refused =
        Counter.builder("sash.server.connections.refused")
            .description("Connections closed because there were too many")
            .tag("protocol", protocol)
            .register(registry);
  }

  /**
   * Counts a connection if there is room for it, until it is closed. What was decided first holds:
   * it may be called again when a connection is ready to be used. The caller closes a connection
   * that is not admitted.
   *
   * @param connection a connection of this port
   * @return whether it may stay
   */
  public Admission admit(Channel connection) {
    Admission before = connection.attr(ADMISSION).get();
    if (before != null) {
      return before;
    }
    Admission admission = count(connection);
    connection.attr(ADMISSION).set(admission);
    if (admission != Admission.ADMITTED) {
      refused.increment();
    }
    return admission;
  }

  private Admission count(Channel connection) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      return Admission.TOO_MANY;
    }
    PeerAddress peer = peer(connection);
    if (!byAddress.opened(peer)) {
      open.decrementAndGet();
      return Admission.TOO_MANY_FROM_ADDRESS;
    }
    connection
        .closeFuture()
        .addListener(
            closed -> {
              open.decrementAndGet();
              byAddress.closed(peer);
            });
    return Admission.ADMITTED;
  }

  private static PeerAddress peer(Channel connection) {
    return connection.remoteAddress() instanceof InetSocketAddress address
            && address.getAddress() != null
        ? PeerAddress.of(address.getAddress().getHostAddress())
        : PeerAddress.of(null);
  }

  /**
   * Returns the number of open connections.
   *
   * @return 0 to the maximum
   */
  public int open() {
    return open.get();
  }
}
