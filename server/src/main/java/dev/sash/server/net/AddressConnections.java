package dev.sash.server.net;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the number of connections from one network, see {@link PeerAddress#network}, over all
 * protocols. Thread-safe.
 */
public final class AddressConnections {
  private final int max;
  private final Map<String, Integer> open = new ConcurrentHashMap<>();

  /**
   * Creates a bound.
   *
   * @param max the most connections from one network, 1 or more
   */
  public AddressConnections(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be 1 or more, was " + max);
    }
    this.max = max;
  }

  /**
   * Counts a connection, if there is room for it.
   *
   * @param peer the address of the client
   * @return whether the connection may stay; then {@link #closed} must be called once
   */
  public boolean opened(PeerAddress peer) {
    // One step per network, so that the count never exceeds the bound.
    boolean[] counted = {false};
    open.compute(
        peer.network(),
        (network, before) -> {
          int count = before == null ? 0 : before;
          counted[0] = count < max;
          return counted[0] ? Integer.valueOf(count + 1) : before;
        });
    return counted[0];
  }

  /**
   * Forgets a connection that was counted.
   *
   * @param peer the address of the client
   */
  public void closed(PeerAddress peer) {
    open.computeIfPresent(peer.network(), (network, count) -> count == 1 ? null : count - 1);
  }

  /** Returns the number of networks with connections. */
  int networks() {
    return open.size();
  }
}
