package dev.sash.address;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address. Immutable.
 *
 * <p>It is read from its numeric form alone: no name is ever looked up, and IPv4 numbers with
 * leading zeros, which some read as octal, are refused. An IPv4 address inside an IPv6 one ({@code
 * ::ffff:192.0.2.1}) is the IPv4 address: a client that uses both forms is one client.
 */
public final class IpAddress {
  /** The 64 bits in front of an IPv6 address; 0 for IPv4. */
  private final long high;

  /** The last 64 bits of an IPv6 address, or the 32 of an IPv4 address. */
  private final long low;

  private final boolean isIpv6;

  private IpAddress(long high, long low, boolean isIpv6) {
    this.high = high;
    this.low = low;
    this.isIpv6 = isIpv6;
  }

  static IpAddress ofIpv4(long bits) {
    return new IpAddress(0, bits, false);
  }

  static IpAddress ofIpv6(long high, long low) {
    boolean mapped = high == 0 && low >>> 32 == 0xffffL;
    return mapped ? ofIpv4(low & 0xffff_ffffL) : new IpAddress(high, low, true);
  }

  /**
   * Reads an address.
   *
   * @param text such as {@code 192.0.2.1} or {@code 2001:db8::1}
   * @return the address
   * @throws IllegalArgumentException if it is none
   */
  public static IpAddress parse(String text) {
    IpAddress address = IpAddressParser.parse(text);
    if (address == null) {
      throw new IllegalArgumentException(
          "address must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1, was '"
              + text
              + "'");
    }
    return address;
  }

  /**
   * Returns the address that a text is, without an exception if it is none: for text that anybody
   * may have sent.
   *
   * @param text such as {@code 192.0.2.1} or {@code 2001:db8::1}
   * @return the address; null if the text is none
   */
  public static @Nullable IpAddress parseOrNull(String text) {
    return IpAddressParser.parse(text);
  }

  /**
   * Returns the address of the other end of a connection as servers report it, where the operating
   * system may have added the interface: {@code fe80::1%eth0}.
   *
   * @param text the address; null if the connection has none
   * @return the address without the interface; null if the text is no address
   */
  public static @Nullable IpAddress parsePeer(@Nullable String text) {
    return IpAddressParser.parsePeer(text);
  }

  /**
   * Returns the address that the JDK has as an object, without its interface.
   *
   * @param address the JDK's address
   * @return the address
   */
  public static IpAddress of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return bytes.remaining() == 4
        ? ofIpv4(Integer.toUnsignedLong(bytes.getInt()))
        : ofIpv6(bytes.getLong(), bytes.getLong());
  }

  /**
   * Whether it is an IPv6 address.
   *
   * @return false for IPv4
   */
  public boolean isIpv6() {
    return isIpv6;
  }

  /**
   * How many bits it has.
   *
   * @return 32 or 128
   */
  public int bits() {
    return isIpv6 ? 128 : 32;
  }

  /**
   * The network it lies in.
   *
   * @param prefixLength how many bits to keep, 0 to {@link #bits}
   * @return this address with all further bits zero
   */
  public IpAddress network(int prefixLength) {
    if (prefixLength < 0 || prefixLength > bits()) {
      throw new IllegalArgumentException(
          "prefix length must be between 0 and " + bits() + ", was " + prefixLength);
    }
    if (!isIpv6) {
      return ofIpv4(low & firstBits(32 + prefixLength));
    }
    // Not ofIpv6: what is left of an IPv6 address stays one.
    return new IpAddress(
        high & firstBits(Math.min(64, prefixLength)),
        low & firstBits(Math.max(0, prefixLength - 64)),
        true);
  }

  /** Whether a network contains this address; both are IPv4 or both are IPv6. */
  boolean isIn(IpAddress network, int prefixLength) {
    if (!isIpv6) {
      return ((low ^ network.low) & firstBits(32 + prefixLength)) == 0;
    }
    return ((high ^ network.high) & firstBits(Math.min(64, prefixLength))) == 0
        && ((low ^ network.low) & firstBits(Math.max(0, prefixLength - 64))) == 0;
  }

  /** Compares by the bits; both are IPv4 or both are IPv6. */
  int compare(IpAddress other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  private static long firstBits(int count) {
    return count == 0 ? 0 : -1L << (64 - count);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IpAddress that
        && high == that.high
        && low == that.low
        && isIpv6 == that.isIpv6;
  }

  @Override
  public int hashCode() {
    return (31 * Long.hashCode(high) + Long.hashCode(low)) * 31 + Boolean.hashCode(isIpv6);
  }

  /** The shortest usual form; for IPv6 that of RFC 5952. */
  @Override
  public String toString() {
    return isIpv6 ? ipv6() : ipv4();
  }

  private String ipv4() {
    return (low >> 24) + "." + (low >> 16 & 255) + "." + (low >> 8 & 255) + "." + (low & 255);
  }

  private int group(int i) {
    return (int) ((i < 4 ? high >>> (48 - 16 * i) : low >>> (112 - 16 * i)) & 0xffff);
  }

  private String ipv6() {
    int gap = 8;
    int gapLength = 1; // a single zero group is written out
    for (int i = 0; i < 8; i++) {
      int zeros = 0;
      while (i + zeros < 8 && group(i + zeros) == 0) {
        zeros++;
      }
      if (zeros > gapLength) {
        gap = i;
        gapLength = zeros;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == gap) {
        text.append("::");
        i += gapLength - 1;
      } else {
        boolean first = text.isEmpty() || text.charAt(text.length() - 1) == ':';
        text.append(first ? "" : ":").append(Integer.toHexString(group(i)));
      }
    }
    return text.toString();
  }
}
