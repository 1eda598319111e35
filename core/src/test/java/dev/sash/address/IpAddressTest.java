package dev.sash.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          192.0.2.1                               | 192.0.2.1
          0.0.0.0                                 | 0.0.0.0
          255.255.255.255                         | 255.255.255.255
          ::                                      | ::
          ::1                                     | ::1
          1::                                     | 1::
          2001:db8::1                             | 2001:db8::1
          2001:DB8:0:0:0:0:0:1                    | 2001:db8::1
          2001:0db8:0000:0000:0001:0000:0000:0001 | 2001:db8::1:0:0:1
          2001:db8:0:1:1:1:1:1                    | 2001:db8:0:1:1:1:1:1
          1:2:3:4:5:6:7:8                         | 1:2:3:4:5:6:7:8
          1:2:3:4:5:6:7::                         | 1:2:3:4:5:6:7:0
          ::2:3:4:5:6:7:8                         | 0:2:3:4:5:6:7:8
          64:ff9b::192.0.2.33                     | 64:ff9b::c000:221
          ::ffff:192.0.2.1                        | 192.0.2.1
          ::FFFF:c000:0201                        | 192.0.2.1
          0:0:0:0:0:ffff:192.0.2.1                | 192.0.2.1
          ::192.0.2.1                             | ::c000:201
          """)
  void readsEveryFormAndWritesTheShortestOne(String text, String shortest) {
    assertThat(IpAddress.parse(text)).hasToString(shortest);
  }

  @Test
  void refusesWhatIsNotQuiteAnAddress() {
    List<String> texts =
        List.of(
            "",
            " ",
            "1",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.4.",
            ".1.2.3.4",
            "1..2.3",
            "256.1.1.1",
            "01.2.3.4",
            "1.2.3.04",
            "1.2.3.-4",
            "1.2.3.4 ",
            " 1.2.3.4",
            "0x7f.0.0.1",
            "2130706433",
            "localhost",
            "1.2.3.4/32",
            "1.2.3.4:80",
            ":",
            ":::",
            ":1",
            "1:",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1::2::3",
            "1:::2",
            "12345::",
            "g::",
            "::1%eth0",
            "[::1]",
            "1:2:3:4:5:6:7:1.2.3.4",
            "1:2:3:4:5:1.2.3.4",
            "::1.2.3",
            "1.2.3.4::",
            "::1.2.3.4:5",
            "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8",
            "\uff11.2.3.4",
            "::\u0661",
            "1.2.3.4\u0000");
    for (String text : texts) {
      assertThat(IpAddress.parseOrNull(text)).as("'%s'", text).isNull();
    }
    assertThatThrownBy(() -> IpAddress.parse("1.2.3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "address must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1, was"
                + " '1.2.3'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          192.0.2.129              | 32  | 192.0.2.129
          192.0.2.129              | 25  | 192.0.2.128
          192.0.2.129              | 1   | 128.0.0.0
          192.0.2.129              | 0   | 0.0.0.0
          2001:db8:1:2:3:4:5:6     | 128 | 2001:db8:1:2:3:4:5:6
          2001:db8:1:2:3:4:5:6     | 65  | 2001:db8:1:2::
          2001:db8:1:2:8000:4:5:6  | 65  | 2001:db8:1:2:8000::
          2001:db8:1:2:3:4:5:6     | 64  | 2001:db8:1:2::
          2001:db8:1:2:3:4:5:6     | 63  | 2001:db8:1:2::
          2001:db8:1:3:3:4:5:6     | 63  | 2001:db8:1:2::
          2001:db8:1:2:3:4:5:6     | 0   | ::
          """)
  void keepsTheBitsOfTheNetwork(String address, int prefixLength, String network) {
    assertThat(IpAddress.parse(address).network(prefixLength)).hasToString(network);
  }

  @Test
  void hasNoNetworkOfMoreBitsThanItself() {
    assertThatThrownBy(() -> IpAddress.parse("192.0.2.1").network(33))
        .hasMessage("prefix length must be between 0 and 32, was 33");
  }

  @Test
  void findsTheInterfaceOnlyBehindAPeersAddress() {
    assertThat(IpAddress.parsePeer("fe80:0:0:0:0:0:0:1%eth0")).hasToString("fe80::1");
    assertThat(IpAddress.parsePeer("fe80::1%")).hasToString("fe80::1");
    assertThat(IpAddress.parsePeer("%")).isNull();
    assertThat(IpAddress.parsePeer(null)).isNull();
    assertThat(IpAddress.parsePeer("unix:/run/app")).isNull();
  }

  @Test
  void takesTheJdksAddressWithoutItsInterface() throws Exception {
    byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();
    byte[] mapped = InetAddress.getByName("::").getAddress();
    mapped[10] = mapped[11] = (byte) 255;
    mapped[15] = 1;

    assertThat(IpAddress.of(Inet6Address.getByAddress(null, linkLocal, 7))).hasToString("fe80::1");
    assertThat(IpAddress.of(Inet6Address.getByAddress(null, mapped, 0))).hasToString("0.0.0.1");
    assertThat(IpAddress.of(InetAddress.getByName("255.254.253.252")))
        .hasToString("255.254.253.252");
  }

  @Test
  void readsBackWhatItWroteAndWhatTheJdkWrites() throws Exception {
    RandomAddresses draw = new RandomAddresses();
    for (int i = 0; i < 20_000; i++) {
      IpAddress address = draw.address();
      String text = address.toString();
      assertThat(IpAddress.parse(text)).as(RandomAddresses.REPLAY).isEqualTo(address);
      InetAddress ofTheJdk = InetAddress.getByName(text);
      assertThat(IpAddress.of(ofTheJdk)).as(RandomAddresses.REPLAY).isEqualTo(address);
      assertThat(IpAddress.parse(ofTheJdk.getHostAddress()))
          .as(RandomAddresses.REPLAY)
          .isEqualTo(address);
    }
  }

  @Test
  void hostileTextIsRefusedOrMeansWhatTheJdkSays() throws Exception {
    RandomAddresses draw = new RandomAddresses();
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      String text = draw.text();
      IpAddress address = IpAddress.parseOrNull(text);
      if (address != null) {
        read++;
        // Only literals come here, so that no name server is asked.
        String ofTheJdk = InetAddress.getByName(text).getHostAddress();
        assertThat(IpAddress.parse(ofTheJdk))
            .as("'%s', %s", text, RandomAddresses.REPLAY)
            .isEqualTo(address);
      }
    }
    assertThat(read).as(RandomAddresses.REPLAY).isPositive();
  }
}
