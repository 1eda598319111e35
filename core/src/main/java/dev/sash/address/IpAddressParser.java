package dev.sash.address;

import org.jspecify.annotations.Nullable;

/** Reads addresses from what anybody may have sent: strictly, in one pass, without exceptions. */
final class IpAddressParser {
  private static final int LONGEST_IPV4 = "255.255.255.255".length();
  private static final int LONGEST_IPV6 = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".length();

  private final String text;
  private final int[] groups = new int[8];
  private int count;
  private int gap = -1;

  private IpAddressParser(String text) {
    this.text = text;
  }

  /** The address, or null if the text is none. */
  static @Nullable IpAddress parse(String text) {
    if (text.indexOf(':') >= 0) {
      return text.length() > LONGEST_IPV6 ? null : new IpAddressParser(text).ipv6();
    }
    long bits = ipv4Bits(text);
    return bits < 0 ? null : IpAddress.ofIpv4(bits);
  }

  /**
   * The same for the other end of a connection, where the operating system may add the interface.
   */
  static @Nullable IpAddress parsePeer(@Nullable String text) {
    if (text == null) {
      return null;
    }
    int zone = text.indexOf('%');
    return parse(zone < 0 ? text : text.substring(0, zone));
  }

  /** The 32 bits of four numbers from 0 to 255 without leading zeros, or -1. */
  private static long ipv4Bits(String text) {
    if (text.length() > LONGEST_IPV4) {
      return -1;
    }
    long bits = 0;
    int at = 0;
    for (int part = 0; part < 4; part++) {
      int start = at;
      int value = 0;
      while (at < text.length() && isDigit(text.charAt(at))) {
        value = value * 10 + text.charAt(at++) - '0';
        if (value > 255 || (at - start > 1 && text.charAt(start) == '0')) {
          return -1;
        }
      }
      boolean endsRight = part == 3 ? at == text.length() : at < text.length();
      if (at == start || !endsRight || (part < 3 && text.charAt(at++) != '.')) {
        return -1;
      }
      bits = bits << 8 | value;
    }
    return bits;
  }

  private @Nullable IpAddress ipv6() {
    int at = 0;
    if (text.startsWith("::")) {
      gap = 0;
      at = 2;
    }
    while (at < text.length()) {
      int next = group(at);
      if (next < 0) {
        return null;
      }
      at = next;
    }
    boolean whole = gap < 0 ? count == 8 : count < 8; // "::" stands for at least one group
    return whole ? address() : null;
  }

  /** Reads a group and the colons behind it; returns where the next begins, or -1. */
  private int group(int start) {
    int at = start;
    int value = 0;
    while (at < text.length() && at - start < 4 && Character.digit(text.charAt(at), 16) >= 0) {
      if (text.charAt(at) > 'f') {
        return -1; // a digit of another script
      }
      value = value << 4 | Character.digit(text.charAt(at++), 16);
    }
    if (at < text.length() && text.charAt(at) == '.') {
      return ipv4AtTheEnd(start);
    }
    if (at == start || count == 8) {
      return -1;
    }
    groups[count++] = value;
    return at == text.length() ? at : colons(at);
  }

  private int ipv4AtTheEnd(int start) {
    long bits = ipv4Bits(text.substring(start));
    if (bits < 0 || count > 6) {
      return -1;
    }
    groups[count++] = (int) (bits >> 16);
    groups[count++] = (int) (bits & 0xffff);
    return text.length();
  }

  private int colons(int at) {
    if (text.charAt(at) != ':' || at + 1 == text.length()) {
      return -1;
    }
    if (text.charAt(at + 1) != ':') {
      return at + 1;
    }
    if (gap >= 0) {
      return -1;
    }
    gap = count;
    return at + 2;
  }

  private IpAddress address() {
    long[] halves = new long[2];
    int zeros = 8 - count;
    for (int i = 0; i < count; i++) {
      int place = gap >= 0 && i >= gap ? i + zeros : i;
      halves[place / 4] |= (long) groups[i] << (48 - 16 * (place % 4));
    }
    return IpAddress.ofIpv6(halves[0], halves[1]);
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
