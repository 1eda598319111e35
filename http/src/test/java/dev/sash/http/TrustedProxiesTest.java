package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.address.IpAddress;
import dev.sash.http.internal.HttpSyntax;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrustedProxiesTest {
  private static final String[] RANGES = {"10.0.0.0/8", "2001:db8:ffff::/48"};

  private static void check(TrustedProxies proxies, String field, String table) {
    for (List<String> row : Tables.rows(table)) {
      TestRequest request = TestRequest.get("/").peer(row.get(0));
      if (!row.get(1).isEmpty()) {
        // Lines of the field are divided by a slash.
        HttpSyntax.parts(row.get(1), '/').forEach(line -> request.header(field, line));
      }
      assertThat(String.valueOf(proxies.clientOf(request))).as("%s", row).isEqualTo(row.get(2));
    }
  }

  @Test
  void nobodyIsBelievedUnlessNamed() {
    check(
        TrustedProxies.none(),
        "X-Forwarded-For",
        """
        192.0.2.1          | -           | 192.0.2.1
        192.0.2.1          | 203.0.113.9 | 192.0.2.1
        127.0.0.1          | 203.0.113.9 | 127.0.0.1
        10.0.0.1           | 203.0.113.9 | 10.0.0.1
        ::ffff:192.0.2.1   | 203.0.113.9 | 192.0.2.1
        fe80::1%eth0       | 203.0.113.9 | fe80::1
        /run/app.sock      | 203.0.113.9 | null
        """);
  }

  @Test
  void followsXForwardedForFromTheRightPastTrustedHops() {
    check(
        TrustedProxies.xForwardedFor(RANGES),
        "X-Forwarded-For",
        """
        192.0.2.1            | 203.0.113.9                       | 192.0.2.1
        10.0.0.1             | -                                 | 10.0.0.1
        10.0.0.1             | 203.0.113.9                       | 203.0.113.9
        ::ffff:10.0.0.1      | 203.0.113.9                       | 203.0.113.9
        10.0.0.1             | 1.1.1.1, 203.0.113.9              | 203.0.113.9
        10.0.0.1             | 1.1.1.1, 203.0.113.9, 10.0.0.2    | 203.0.113.9
        10.0.0.1             | 1.1.1.1,203.0.113.9,10.0.0.2      | 203.0.113.9
        10.0.0.1             | 203.0.113.9 / 10.0.0.2            | 203.0.113.9
        10.0.0.1             | 1.1.1.1 / 203.0.113.9             | 203.0.113.9
        10.0.0.1             | 10.0.0.3, 10.0.0.2                | 10.0.0.3
        2001:db8:ffff::1     | 2001:db8::9, 2001:db8:ffff::2     | 2001:db8::9
        10.0.0.1             | ::ffff:203.0.113.9                | 203.0.113.9
        10.0.0.1             | 203.0.113.9:4711                  | 203.0.113.9
        10.0.0.1             | [2001:db8::9]:4711                | 2001:db8::9
        10.0.0.1             | [2001:db8::9]                     | 2001:db8::9
        10.0.0.1             | 203.0.113.9, , ,                  | 203.0.113.9
        """);
  }

  @Test
  void whereAHopCannotBeReadTheClientIsThePeer() {
    check(
        TrustedProxies.xForwardedFor(RANGES),
        "X-Forwarded-For",
        """
        10.0.0.1 | unknown                          | 10.0.0.1
        10.0.0.1 | 203.0.113.9, unknown             | 10.0.0.1
        10.0.0.1 | 203.0.113.9, nonsense, 10.0.0.2  | 10.0.0.1
        10.0.0.1 | 203.0.113.09                     | 10.0.0.1
        10.0.0.1 | 203.0.113.9:                     | 10.0.0.1
        10.0.0.1 | 203.0.113.9:123456               | 10.0.0.1
        10.0.0.1 | 203.0.113.9:8x                   | 10.0.0.1
        10.0.0.1 | [203.0.113.9]                    | 10.0.0.1
        10.0.0.1 | [2001:db8::9                     | 10.0.0.1
        10.0.0.1 | [2001:db8::9]x                   | 10.0.0.1
        10.0.0.1 | 2001:db8::9%eth0                 | 10.0.0.1
        10.0.0.1 | "203.0.113.9"                    | 10.0.0.1
        10.0.0.1 | localhost                        | 10.0.0.1
        """);
  }

  @Test
  void whatStandsLeftOfTheClientHasNoInfluence() {
    check(
        TrustedProxies.xForwardedFor(RANGES),
        "X-Forwarded-For",
        """
        10.0.0.1 | nonsense, 203.0.113.9                       | 203.0.113.9
        10.0.0.1 | 10.0.0.2, 203.0.113.9                       | 203.0.113.9
        10.0.0.1 | "unclosed, 203.0.113.9, 10.0.0.2            | 203.0.113.9
        """);
    check(
        TrustedProxies.forwarded(RANGES),
        "Forwarded",
        """
        10.0.0.1 | for="unclosed, for=203.0.113.9              | 203.0.113.9
        10.0.0.1 | for="a\\, for=203.0.113.9                   | 203.0.113.9
        10.0.0.1 | for="a\\, for="[2001:db8::9]"               | 2001:db8::9
        10.0.0.1 | nonsense / for=203.0.113.9                  | 203.0.113.9
        """);
  }

  @Test
  void followsForwarded() {
    check(
        TrustedProxies.forwarded(RANGES),
        "Forwarded",
        """
        192.0.2.1 | for=203.0.113.9                                       | 192.0.2.1
        10.0.0.1  | for=203.0.113.9                                       | 203.0.113.9
        10.0.0.1  | For="[2001:db8::9]:4711"                              | 2001:db8::9
        10.0.0.1  | for="203.0.113.9:80";proto=https;by=10.0.0.1          | 203.0.113.9
        10.0.0.1  | proto=https; FOR=203.0.113.9 ;by=_x                   | 203.0.113.9
        10.0.0.1  | for=1.1.1.1, for=203.0.113.9;host="a,b;c=\\"d\\""     | 203.0.113.9
        10.0.0.1  | for=203.0.113.9, for=10.0.0.2;by="x, for=1.1.1.1"     | 203.0.113.9
        10.0.0.1  | for=203.0.113.9 / for=10.0.0.2                        | 203.0.113.9
        10.0.0.1  | for="20\\3.0.113.9"                                   | 203.0.113.9
        10.0.0.1  | for=unknown                                           | 10.0.0.1
        10.0.0.1  | for=_hidden                                           | 10.0.0.1
        10.0.0.1  | for=203.0.113.9;for=1.1.1.1                           | 10.0.0.1
        10.0.0.1  | proto=https                                           | 10.0.0.1
        10.0.0.1  | for=                                                  | 10.0.0.1
        10.0.0.1  | for                                                   | 10.0.0.1
        10.0.0.1  | for=203.0.113.9 x                                     | 10.0.0.1
        10.0.0.1  | for="203.0.113.9                                      | 10.0.0.1
        10.0.0.1  | for="203.0.113.9\\                                    | 10.0.0.1
        10.0.0.1  | for=2001:db8::9                                       | 10.0.0.1
        """);
  }

  @Test
  void readsOnlyTheFieldThatTheProxiesWrite() {
    TestRequest request =
        TestRequest.get("/")
            .peer("10.0.0.1")
            .header("X-Forwarded-For", "203.0.113.9")
            .header("Forwarded", "for=1.1.1.1")
            .header("X-Real-IP", "2.2.2.2");

    assertThat(TrustedProxies.xForwardedFor(RANGES).clientOf(request)).hasToString("203.0.113.9");
    assertThat(TrustedProxies.forwarded(RANGES).clientOf(request)).hasToString("1.1.1.1");
    assertThat(TrustedProxies.header("x-real-ip", RANGES).clientOf(request)).hasToString("2.2.2.2");
  }

  @Test
  void aFieldForOneAddressHoldsOneAddress() {
    check(
        TrustedProxies.header("X-Real-IP", RANGES),
        "X-Real-IP",
        """
        192.0.2.1 | 203.0.113.9              | 192.0.2.1
        10.0.0.1  | 203.0.113.9              | 203.0.113.9
        10.0.0.1  | 10.9.9.9                 | 10.9.9.9
        10.0.0.1  | 1.1.1.1, 203.0.113.9     | 10.0.0.1
        10.0.0.1  | 1.1.1.1 / 203.0.113.9    | 10.0.0.1
        10.0.0.1  | -                        | 10.0.0.1
        """);
    assertThatThrownBy(() -> TrustedProxies.header("X Real"))
        .hasMessage("field must be 1 or more letters, digits or !#$%&'*+-.^_`|~, was 'X Real'");
  }

  @Test
  void nobodyEscapesTheirAddressWhateverTheySend() {
    Hostile draw = new Hostile(Hostile.SEED);
    TrustedProxies xff = TrustedProxies.xForwardedFor(RANGES);
    TrustedProxies forwarded = TrustedProxies.forwarded(RANGES);
    for (int i = 0; i < 100_000; i++) {
      IpAddress client = draw.address();
      if (xff.trust(client)) {
        continue;
      }
      String sent = draw.text();
      String added = sent + (sent.isEmpty() ? "" : ", ") + client;
      String quoted = client.isIpv6() ? "\"[" + client + "]:80\"" : client.toString();
      String addedToForwarded = sent + (sent.isEmpty() ? "" : ",") + "for=" + quoted;
      boolean twoProxies = draw.below(2) == 0;
      boolean ownLine = draw.below(2) == 0;

      TestRequest direct = TestRequest.get("/").peer(client.toString());
      direct.header("X-Forwarded-For", sent).header("Forwarded", sent);
      TestRequest proxied = TestRequest.get("/").peer("10.0.0.1");
      if (ownLine) {
        proxied.header("X-Forwarded-For", sent, client.toString());
        proxied.header("Forwarded", sent, "for=" + quoted);
      } else {
        proxied.header("X-Forwarded-For", added + (twoProxies ? ", 10.0.0.2" : ""));
        proxied.header("Forwarded", addedToForwarded + (twoProxies ? ", for=10.0.0.2" : ""));
      }

      for (RequestView request : List.of(direct, proxied)) {
        String what = "'" + sent + "', " + Hostile.REPLAY;
        assertThat(xff.clientOf(request)).as(what).isEqualTo(client);
        assertThat(forwarded.clientOf(request)).as(what).isEqualTo(client);
      }
    }
  }

  @Test
  void noFieldWhateverItHoldsMakesItThrow() {
    Hostile draw = new Hostile(Hostile.SEED);
    List<TrustedProxies> all =
        List.of(
            TrustedProxies.xForwardedFor("0.0.0.0/0", "::/0"),
            TrustedProxies.forwarded("0.0.0.0/0", "::/0"),
            TrustedProxies.header("X-Real-IP", "0.0.0.0/0"));
    for (int i = 0; i < 100_000; i++) {
      TestRequest request = TestRequest.get("/").peer("10.0.0.1");
      for (String field : List.of("X-Forwarded-For", "Forwarded", "X-Real-IP")) {
        request.header(field, draw.text(), draw.text());
      }
      for (TrustedProxies proxies : all) {
        assertThat(proxies.clientOf(request)).as(Hostile.REPLAY).isNotNull();
      }
    }
  }
}
