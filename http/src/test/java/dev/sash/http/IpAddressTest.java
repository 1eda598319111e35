package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class IpAddressTest {
  @Test
  void readsEveryFormAndWritesTheShortestOne() {
    Tables.rows(
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
        .forEach(row -> assertThat(IpAddress.parse(row.get(0))).hasToString(row.get(1)));
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
      assertThat(IpAddressParser.parse(text)).as("'%s'", text).isNull();
    }
    assertThatThrownBy(() -> IpAddress.parse("1.2.3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "address must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1, was"
                + " '1.2.3'");
  }

  @Test
  void keepsTheBitsOfTheNetwork() {
    Tables.rows(
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
        .forEach(
            row ->
                assertThat(IpAddress.parse(row.get(0)).network(Integer.parseInt(row.get(1))))
                    .hasToString(row.get(2)));
    assertThatThrownBy(() -> IpAddress.parse("192.0.2.1").network(33))
        .hasMessage("prefix length must be between 0 and 32, was 33");
  }

  @Test
  void findsTheInterfaceOnlyBehindAPeersAddress() {
    assertThat(IpAddressParser.parsePeer("fe80:0:0:0:0:0:0:1%eth0")).hasToString("fe80::1");
    assertThat(IpAddressParser.parsePeer("fe80::1%")).hasToString("fe80::1");
    assertThat(IpAddressParser.parsePeer("%")).isNull();
    assertThat(IpAddressParser.parsePeer(null)).isNull();
    assertThat(IpAddressParser.parsePeer("unix:/run/app")).isNull();
  }

  @Test
  void readsBackWhatItWroteAndWhatTheJdkWrites() throws Exception {
    Hostile draw = new Hostile(Hostile.SEED);
    for (int i = 0; i < 20_000; i++) {
      IpAddress address = draw.address();
      String text = address.toString();
      assertThat(IpAddress.parse(text)).as(Hostile.REPLAY).isEqualTo(address);
      String ofTheJdk = InetAddress.getByName(text).getHostAddress();
      assertThat(IpAddress.parse(ofTheJdk)).as(Hostile.REPLAY).isEqualTo(address);
    }
  }

  @Test
  void hostileTextIsRefusedOrMeansWhatTheJdkSays() throws Exception {
    Hostile draw = new Hostile(Hostile.SEED);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      String text = draw.text();
      IpAddress address = IpAddressParser.parse(text);
      if (address != null) {
        read++;
        // Only literals come here, so that no name server is asked.
        String ofTheJdk = InetAddress.getByName(text).getHostAddress();
        assertThat(IpAddress.parse(ofTheJdk))
            .as("'%s', %s", text, Hostile.REPLAY)
            .isEqualTo(address);
      }
    }
    assertThat(read).as(Hostile.REPLAY).isPositive();
  }
}
