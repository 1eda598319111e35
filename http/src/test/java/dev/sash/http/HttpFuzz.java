package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;

/**
 * What anybody may send, led by coverage. In the build each test runs on its kept inputs; {@code
 * JAZZER_FUZZ=1 mvn test -pl http -am -Dtest=HttpFuzz#address} looks for new ones.
 */
class HttpFuzz {
  @FuzzTest(maxDuration = "1m")
  void address(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    IpAddress address = IpAddressParser.parse(text);
    if (address != null) {
      assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void proxies(FuzzedDataProvider data) {
    String sent = data.consumeRemainingAsString();
    for (String client : List.of("203.0.113.9", "2001:db8::9")) {
      String node = client.indexOf(':') < 0 ? client : "\"[" + client + "]\"";
      TestRequest request =
          TestRequest.get("/")
              .peer("10.0.0.1")
              .header("X-Forwarded-For", sent + "," + client)
              .header("Forwarded", sent + ",for=" + node);
      assertThat(TrustedProxies.xForwardedFor("10.0.0.0/8").clientOf(request)).hasToString(client);
      assertThat(TrustedProxies.forwarded("10.0.0.0/8").clientOf(request)).hasToString(client);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void paths(FuzzedDataProvider data) {
    RequestPath path = RequestPath.of(data.consumeRemainingAsString());
    assertThat(path.segments()).doesNotContain("", ".", "..");
    assertThat(path.toString()).startsWith("/");
  }

  @FuzzTest(maxDuration = "1m")
  void fields(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    assertThat(new AcceptField(List.of(text)).weightOf("text", "html")).isBetween(0, 1000);
    assertThat(HttpSyntax.cookie(List.of("a=1;" + text, text), "a")).isEqualTo("1");
    assertThat(HttpSyntax.queryParameter("a=1&" + text, "a")).isEqualTo("1");
  }
}
