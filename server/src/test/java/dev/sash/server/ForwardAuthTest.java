package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ForwardAuthTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            """
            policies:
              plain: {limit: 2/1h}
              address: {limit: 2/1h, key: ip}
              route: {limit: 1/1h, key: [method, host, path]}
              user: {limit: 1/1h, key: "header:x-user"}
              session: {limit: 1/1h, key: ["cookie:sid", "query:tab"]}
              secret: {limit: 1/1h, key: apikey}
              upload: {limit: 10/1h, key: ip, cost: {attribute: "header:x-size", most: 10}}
              banned: {limit: 9/1h, key: ip, deny: [203.0.113.66]}
            trusted-proxies: [127.0.0.1]
            """);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> ask(String path, String... headers) {
    HttpRequest.Builder request = server.request("/v1/forward-auth/" + path);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return TestServer.send(request);
  }

  private static int status(String path, String... headers) {
    return ask(path, headers).statusCode();
  }

  @Test
  void isByTheClientsAddressUnlessThePolicySaysSomethingElse() {
    for (String policy : new String[] {"plain", "address"}) {
      for (int i = 0; i < 2; i++) {
        assertThat(status(policy, "X-Forwarded-For", "203.0.113.7")).isEqualTo(200);
      }
      HttpResponse<String> denied = ask(policy, "X-Forwarded-For", "198.51.100.1, 203.0.113.7");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("retry-after")).isPresent();
      assertThat(denied.headers().firstValue("ratelimit")).isPresent();
      assertThat(denied.body())
          .contains("http-problem-types#quota-exceeded")
          .contains("Limit " + policy + " exceeded. Try again in 3");
      assertThat(status(policy, "X-Forwarded-For", "203.0.113.8")).isEqualTo(200);
    }
  }

  @Test
  void deniesWithTheStatusThatTheProxyUnderstands() {
    for (int status : new int[] {401, 403, 429, 503}) {
      String client = "203.0.114." + (status % 250);
      ask("plain?permits=2", "X-Forwarded-For", client);
      assertThat(status("plain?deny=" + status, "X-Forwarded-For", client)).isEqualTo(status);
    }
    assertThat(status("plain?deny=200")).isEqualTo(400);
    assertThat(status("plain?other=1")).isEqualTo(400);
    assertThat(status("none")).isEqualTo(404);
  }

  @Test
  void findsTheOriginalRequestInTheFieldsOfEveryProxy() {
    String[] traefik = {
      "X-Forwarded-Method", "PUT", "X-Forwarded-Host", "Shop.example", "X-Forwarded-Uri", "/a/b?c=d"
    };
    assertThat(status("route", traefik)).isEqualTo(200);
    assertThat(status("route", traefik)).isEqualTo(429);
    String[] nginx = {
      "X-Original-Method", "PUT", "X-Original-Host", "shop.example", "X-Original-URI", "/a/x/../%62"
    };
    assertThat(status("route", nginx)).isEqualTo(429);
    String[] other = {
      "X-Original-Method", "GET", "X-Original-Host", "shop.example", "X-Original-URI", "/a/b"
    };
    assertThat(status("route", other)).isEqualTo(200);
  }

  @Test
  void deniesWhoeverDoesNotSayWhoItIs() {
    assertThat(status("user", "X-User", "ann")).isEqualTo(200);
    assertThat(status("user", "X-User", "ann")).isEqualTo(429);
    assertThat(status("user", "X-User", "bob")).isEqualTo(200);
    HttpResponse<String> nobody = ask("user?deny=403");
    assertThat(nobody.statusCode()).isEqualTo(403);
    assertThat(nobody.body()).contains("attribute 'header:x-user' must be given");
  }

  @Test
  void readsCookiesQueriesAndApiKeys() {
    String[] session = {"Cookie", "a=b; sid=42", "X-Forwarded-Uri", "/?tab=x%20y"};
    assertThat(status("session", session)).isEqualTo(200);
    assertThat(status("session", session)).isEqualTo(429);
    assertThat(status("secret", "X-Api-Key", "s1")).isEqualTo(200);
    assertThat(status("secret", "X-Api-Key", "s1")).isEqualTo(429);
    assertThat(status("secret", "Authorization", "Bearer s2")).isEqualTo(200);
  }

  @Test
  void chargesWhatAHeaderTellsAndDeniesNonsense() {
    assertThat(status("upload", "X-Size", "8")).isEqualTo(200);
    assertThat(status("upload", "X-Size", "3")).isEqualTo(429);
    assertThat(status("upload", "X-Size", "lots")).isEqualTo(429);
  }

  @Test
  void deniesTheListed() {
    HttpResponse<String> denied = ask("banned", "X-Forwarded-For", "203.0.113.66");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("Denied by policy banned.");
  }
}
