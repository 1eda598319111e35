package dev.sash.server.net;

/**
 * The bounds of what clients may use of the network, over all protocols.
 *
 * @param connectionsPerAddress the most connections from one IPv4 address or one IPv6 /64 network,
 *     1 or more
 * @param inputBytes the most bytes of unfinished requests, over all connections, 1 or more
 */
public record NetworkBounds(int connectionsPerAddress, long inputBytes) {
  private static final int DEFAULT_CONNECTIONS = 15_000;
  private static final long DEFAULT_INPUT_BYTES = 64 << 20;

  /** Checks the numbers. */
  public NetworkBounds {
    if (connectionsPerAddress < 1) {
      throw new IllegalArgumentException(
          "connectionsPerAddress must be 1 or more, was " + connectionsPerAddress);
    }
    if (inputBytes < 1) {
      throw new IllegalArgumentException("inputBytes must be 1 or more, was " + inputBytes);
    }
  }

  /**
   * Returns the defaults.
   *
   * @return 15,000 connections per address and 64 MiB
   */
  public static NetworkBounds defaults() {
    return new NetworkBounds(DEFAULT_CONNECTIONS, DEFAULT_INPUT_BYTES);
  }
}
