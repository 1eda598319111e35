package dev.sash.http;

/**
 * {@link KeyExtractor#clientAddress}.
 *
 * @param ipv4Bits how many bits of an IPv4 address tell clients apart
 * @param ipv6Bits how many bits of an IPv6 address do
 */
record ClientAddressKey(int ipv4Bits, int ipv6Bits) implements KeyExtractor {
  ClientAddressKey {
    check("ipv4Bits", 32, ipv4Bits);
    check("ipv6Bits", 128, ipv6Bits);
  }

  private static void check(String name, int most, int value) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          name + " must be between 1 and " + most + ", was " + value);
    }
  }

  @Override
  public String keyOf(IncomingRequest request) {
    IpAddress client = request.client();
    if (client == null) {
      return "ip:unknown";
    }
    int bits = client.isIpv6() ? ipv6Bits : ipv4Bits;
    return bits == client.bits() ? "ip:" + client : "ip:" + client.network(bits) + "/" + bits;
  }
}
