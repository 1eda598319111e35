package dev.sash.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressRangesTest {
  private static final AddressRanges RANGES =
      AddressRanges.of(
          "10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1", "::ffff:198.51.100.0/120");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          10.0.0.0         | true
          10.255.255.255   | true
          ::ffff:10.1.2.3  | true
          9.255.255.255    | false
          11.0.0.0         | false
          192.0.2.7        | true
          192.0.2.6        | false
          198.51.100.200   | true
          198.51.101.0     | false
          2001:db8::       | true
          2001:db8:ffff::1 | true
          2001:db9::       | false
          ::1              | true
          ::2              | false
          ::a00:1          | false
          """)
  void containsWhatLiesInOneOfTheNetworks(String address, boolean contained) {
    assertThat(RANGES.contains(IpAddress.parse(address))).isEqualTo(contained);
  }

  @Test
  void noAddressLiesNowhereAndNothingLiesInNoNetworks() {
    assertThat(RANGES.contains(null)).isFalse();
    assertThat(AddressRanges.NONE.contains(IpAddress.parse("10.0.0.1"))).isFalse();
    assertThat(AddressRanges.NONE.isEmpty()).isTrue();
    assertThat(RANGES.isEmpty()).isFalse();
  }

  @Test
  void everythingIsARangeToo() {
    assertThat(AddressRanges.of("0.0.0.0/0").contains(IpAddress.parse("203.0.113.9"))).isTrue();
    assertThat(AddressRanges.of("0.0.0.0/0").contains(IpAddress.parse("::1"))).isFalse();
    assertThat(AddressRanges.of("::/0").contains(IpAddress.parse("2001:db8::1"))).isTrue();
    assertThat(AddressRanges.of("::ffff:0:0/96").contains(IpAddress.parse("203.0.113.9"))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          10.0.0.1/8       | '10.0.0.1/8' (meant 10.0.0.0/8, or a single address?)
          2001:db8::1/32   | '2001:db8::1/32' (meant 2001:db8::/32, or a single address?)
          proxy.internal   | 'proxy.internal'
          10.0.0/8         | '10.0.0/8'
          """)
  void namesTheRangeThatCannotBeRead(String range, String told) {
    assertThatThrownBy(() -> AddressRanges.of(range))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "range must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32, was "
                + told);
  }

  @Test
  void namesTheRangeWhosePrefixLengthIsWrong() {
    for (String range : List.of("10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1")) {
      assertThatThrownBy(() -> AddressRanges.of(range))
          .hasMessage("prefix length must be between 0 and 32, was '" + range + "'");
    }
    assertThatThrownBy(() -> AddressRanges.of("::ffff:10.0.0.0/95"))
        .hasMessage("prefix length must be between 96 and 128, was '::ffff:10.0.0.0/95'");
  }

  @Test
  void agreesWithArithmeticOnWholeNumbers() {
    RandomAddresses draw = new RandomAddresses();
    for (int i = 0; i < 20_000; i++) {
      IpAddress base = draw.address();
      int length = draw.below(base.bits() + 1);
      IpAddress network = base.network(length);
      AddressRanges ranges = AddressRanges.of(network + "/" + length);
      IpAddress other = draw.below(2) == 0 ? base : draw.address();
      boolean expected =
          base.isIpv6() == other.isIpv6()
              && number(other)
                  .shiftRight(base.bits() - length)
                  .equals(number(network).shiftRight(base.bits() - length));
      assertThat(ranges.contains(other))
          .as("%s in %s, %s", other, ranges, RandomAddresses.REPLAY)
          .isEqualTo(expected);
    }
  }

  /** Some are nested, some adjacent, and all addresses are near the bounds of one. */
  @Test
  void containsWhatOneOfManyNetworksContains() {
    RandomAddresses draw = new RandomAddresses();
    for (int i = 0; i < 200; i++) {
      List<IpAddress> addresses = new ArrayList<>();
      List<String> networks = new ArrayList<>();
      IpAddress base = draw.address();
      for (int n = draw.below(12); n >= 0; n--) {
        int length = draw.below(base.bits() + 1);
        networks.add(base.network(length) + "/" + length);
        IpAddress near = base.network(draw.below(base.bits() + 1));
        addresses.add(base);
        addresses.add(near);
        base = draw.below(3) == 0 ? draw.address() : near;
      }
      AddressRanges all = AddressRanges.of(networks);
      for (IpAddress address : addresses) {
        assertThat(all.contains(address))
            .as("%s in %s, %s", address, all, RandomAddresses.REPLAY)
            .isEqualTo(networks.stream().anyMatch(n -> AddressRanges.of(n).contains(address)));
      }
    }
  }

  private static BigInteger number(IpAddress address) {
    try {
      return new BigInteger(1, java.net.InetAddress.getByName(address.toString()).getAddress());
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
