package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerKeyTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, ip:192.0.2.1",
    "::ffff:192.0.2.1, ip:192.0.2.1",
    "2001:db8:1:2:3:4:5:6, ip:2001:db8:1:2::/64",
    "2001:db8:1:2::, ip:2001:db8:1:2::/64",
    "2001:db8:0:2:ffff::1, ip:2001:db8:0:2::/64",
    "2001:db8:0:0:1::, ip:2001:db8::/64",
    "2001:0:0:1::9, ip:2001:0:0:1::/64",
    "0:0:0:7::1, ip:0:0:0:7::/64",
    "0:5::1, ip:0:5::/64",
    "::1, ip:::/64",
    "fe80::1%1, ip:fe80::/64"
  })
  void isTheAddressOrTheNetworkOfAnIpv6Address(String address, String key)
      throws UnknownHostException {
    SocketAddress peer = new InetSocketAddress(InetAddress.getByName(address), 4711);

    assertThat(PeerKey.of(peer)).isEqualTo(key);
  }

  @Test
  void isUnknownWhereThereIsNoAddress() {
    assertThat(PeerKey.of(null)).isEqualTo("ip:unknown");
    assertThat(PeerKey.of(UnixDomainSocketAddress.of("socket"))).isEqualTo("ip:unknown");
    assertThat(PeerKey.of(InetSocketAddress.createUnresolved("host.invalid", 1)))
        .isEqualTo("ip:unknown");
  }
}
