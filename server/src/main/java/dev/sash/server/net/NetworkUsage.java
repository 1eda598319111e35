package dev.sash.server.net;

/**
 * What clients use of the network, over all protocols of a server. Thread-safe.
 *
 * @param connections the connections by address
 * @param input the bytes of unfinished requests
 */
public record NetworkUsage(AddressConnections connections, ByteBudget input) {
  /**
   * Returns the usage of a server without clients.
   *
   * @param bounds the bounds
   * @return nothing used
   */
  public static NetworkUsage within(NetworkBounds bounds) {
    return new NetworkUsage(
        new AddressConnections(bounds.connectionsPerAddress()),
        new ByteBudget(bounds.inputBytes()));
  }
}
