package dev.sash.address;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set of networks, written as in {@code 10.0.0.0/8}, {@code 2001:db8::/32} or {@code 192.0.2.1}.
 * Immutable. To look an address up is a binary search that allocates nothing.
 */
public final class AddressRanges {
  /** No address at all. */
  public static final AddressRanges NONE = of();

  private record Range(IpAddress network, int prefixLength) {
    boolean contains(IpAddress address) {
      return address.isIn(network, prefixLength);
    }
  }

  private final Set<Range> ranges = new HashSet<>();

  // Sorted, and without those that lie in another one: only the last one that does not begin behind
  // an address can contain it.
  private final Range[] ipv4;
  private final Range[] ipv6;

  private AddressRanges(Collection<String> texts) {
    texts.forEach(text -> ranges.add(parse(text)));
    ipv4 = disjoint(false);
    ipv6 = disjoint(true);
  }

  private Range[] disjoint(boolean isIpv6) {
    List<Range> sorted = new ArrayList<>(ranges);
    sorted.removeIf(range -> range.network.isIpv6() != isIpv6);
    // Of those that begin with the same address, the largest comes first.
    sorted.sort(
        Comparator.comparing(Range::network, IpAddress::compare)
            .thenComparing(Range::prefixLength));
    List<Range> disjoint = new ArrayList<>();
    for (Range range : sorted) {
      if (disjoint.isEmpty() || !disjoint.get(disjoint.size() - 1).contains(range.network)) {
        disjoint.add(range);
      }
    }
    return disjoint.toArray(Range[]::new);
  }

  /**
   * A set of networks.
   *
   * @param ranges each an address, or an address and a prefix length that leaves only zeros
   * @return the set
   * @throws IllegalArgumentException naming the one that cannot be read
   */
  public static AddressRanges of(String... ranges) {
    return new AddressRanges(Arrays.asList(ranges));
  }

  /**
   * {@link #of(String...)} for those who have a collection.
   *
   * @param ranges the networks
   * @return the set
   */
  public static AddressRanges of(Collection<String> ranges) {
    return new AddressRanges(ranges);
  }

  /**
   * Whether there are no networks.
   *
   * @return true if no address lies in any
   */
  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /**
   * Whether an address lies in one of the networks.
   *
   * @param address may be null, for a client without address: that lies in none
   * @return true if it does
   */
  public boolean contains(@Nullable IpAddress address) {
    if (address == null) {
      return false;
    }
    Range[] sorted = address.isIpv6() ? ipv6 : ipv4;
    int begin = 0;
    int end = sorted.length;
    while (begin < end) {
      int middle = (begin + end) >>> 1;
      if (sorted[middle].network.compare(address) <= 0) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin > 0 && sorted[begin - 1].contains(address);
  }

  private static Range parse(String text) {
    Objects.requireNonNull(text, "range must not be null");
    int slash = text.indexOf('/');
    String addressText = slash < 0 ? text : text.substring(0, slash);
    IpAddress address = IpAddressParser.parse(addressText);
    if (address == null) {
      throw unreadable(text, "");
    }
    // The prefix length of ::ffff:10.0.0.0/104 counts the 96 bits that are not in 10.0.0.0.
    int bitsInFront = !address.isIpv6() && addressText.indexOf(':') >= 0 ? 96 : 0;
    int most = bitsInFront + address.bits();
    int length = slash < 0 ? most : number(text.substring(slash + 1));
    if (length < bitsInFront || length > most) {
      throw new IllegalArgumentException(
          "prefix length must be between " + bitsInFront + " and " + most + ", was '" + text + "'");
    }
    Range range = new Range(address.network(length - bitsInFront), length - bitsInFront);
    if (!range.network.equals(address)) {
      throw unreadable(
          text, " (meant " + range.network + "/" + range.prefixLength + ", or a single address?)");
    }
    return range;
  }

  private static int number(String text) {
    boolean digits = !text.isEmpty() && text.length() <= 3;
    for (int i = 0; digits && i < text.length(); i++) {
      digits = IpAddressParser.isDigit(text.charAt(i));
    }
    return digits ? Integer.parseInt(text) : -1;
  }

  private static IllegalArgumentException unreadable(String text, String hint) {
    return new IllegalArgumentException(
        "range must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32, was '"
            + text
            + "'"
            + hint);
  }

  /** The networks, for people. */
  @Override
  public String toString() {
    return ranges.stream().map(r -> r.network + "/" + r.prefixLength).sorted().toList().toString();
  }
}
