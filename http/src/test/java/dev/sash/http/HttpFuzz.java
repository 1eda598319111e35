package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sash.http.internal.AcceptField;
import dev.sash.http.internal.HttpSyntax;
import dev.sash.http.internal.RequestPath;
import java.util.List;

/**
 * What anybody may send, led by coverage: nothing throws, and nobody is believed who must not be.
 * In the build each test runs on the inputs in {@code HttpFuzzInputs}; CONTRIBUTING.md tells how to
 * look for more.
 */
class HttpFuzz {
  private static final String PROXY = "10.0.0.1";
  private static final TrustedProxies X_FORWARDED_FOR = TrustedProxies.xForwardedFor("10.0.0.0/8");
  private static final TrustedProxies FORWARDED = TrustedProxies.forwarded("10.0.0.0/8");
  private static final TrustedProxies REAL_IP = TrustedProxies.header("X-Real-IP", "10.0.0.0/8");

  /** The last hop is the proxy's own: what stands in front of it changes nothing. */
  @FuzzTest(maxDuration = "1m")
  void proxies(FuzzedDataProvider data) {
    String sent = data.consumeRemainingAsString();
    for (String client : List.of("203.0.113.9", "2001:db8::9")) {
      String node = client.indexOf(':') < 0 ? client : "\"[" + client + "]\"";
      TestRequest one = TestRequest.get("/").peer(PROXY);
      one.header("X-Forwarded-For", sent + "," + client).header("Forwarded", sent + ",for=" + node);
      TestRequest two = TestRequest.get("/").peer(PROXY);
      two.header("X-Forwarded-For", sent, client, "10.0.0.2");
      two.header("Forwarded", sent, "proto=http;for=" + node, "for=10.0.0.2;by=\"a,b\"");
      for (TestRequest request : List.of(one, two)) {
        assertThat(X_FORWARDED_FOR.clientOf(request)).hasToString(client);
        assertThat(FORWARDED.clientOf(request)).hasToString(client);
      }
    }
  }

  /** Who is not trusted can say nothing, and whatever a trusted one says is an address. */
  @FuzzTest(maxDuration = "1m")
  void strangers(FuzzedDataProvider data) {
    String sent = data.consumeRemainingAsString();
    TestRequest stranger = TestRequest.get("/").peer("203.0.113.9");
    TestRequest proxy = TestRequest.get("/").peer(PROXY);
    for (TestRequest request : List.of(stranger, proxy)) {
      request.header("X-Forwarded-For", sent).header("Forwarded", sent).header("X-Real-IP", sent);
    }
    for (TrustedProxies proxies : List.of(X_FORWARDED_FOR, FORWARDED, REAL_IP)) {
      assertThat(proxies.clientOf(stranger)).hasToString("203.0.113.9");
      assertThat(proxies.clientOf(proxy)).isNotNull();
    }
  }

  @FuzzTest(maxDuration = "1m")
  void paths(FuzzedDataProvider data) {
    RequestPath path = RequestPath.of(data.consumeRemainingAsString());
    assertThat(path.segments()).doesNotContain("", ".", "..");
    assertThat(path.toString()).startsWith("/");
    assertThat(String.join("", path.segments())).doesNotContain("/", "\\");
  }

  @FuzzTest(maxDuration = "1m")
  void fields(FuzzedDataProvider data) {
    String text = data.consumeRemainingAsString();
    assertThat(new AcceptField(List.of(text)).weightOf("text", "html")).isBetween(0, 1000);
    assertThat(new AcceptField(List.of("text/html;q=0.5," + text)).weightOf("text", "html"))
        .isBetween(0, 1000);
    assertThat(HttpSyntax.cookie(List.of("a=1;" + text, text), "a")).isEqualTo("1");
    assertThat(HttpSyntax.queryParameter("a=1&" + text, "a")).isEqualTo("1");
    TestRequest request = TestRequest.get("/?" + text).peer(PROXY).header("X-Cost", text);
    IncomingRequest incoming = new IncomingRequest(request, REAL_IP);
    assertThat(RequestCost.trustedHeader("X-Cost", 7).permitsOf(incoming))
        .isBetween(0L, Charge.MAX_PERMITS);
    HttpSyntax.queryParameter(text, "a");
    HttpSyntax.cookie(List.of(text), "a");
  }
}
