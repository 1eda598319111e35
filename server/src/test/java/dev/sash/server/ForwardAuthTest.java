package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
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
              key: {limit: 1/1h, key: "apikey:authorization"}
              tiered: {limit: 1/1h, key: ip, tiers: {gold: 3/1h}, tier-by: "header:x-plan"}
              watched: {limit: 1/1h, key: "header:x-user", mode: shadow}
              inside: {limit: 2/1h, key: "header:x-user", allow: [10.0.0.0/8]}
              off: {limit: 1/1h, key: "header:x-user", mode: off}
            trusted-proxies: [127.0.0.1]
            forwarded-by: traefik
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

  /** A client usually has a whole /64 network: by single addresses, it would have no limit. */
  @Test
  void addressesOfOneIpv6NetworkShareALimitWithAndWithoutAKey() {
    for (String policy : new String[] {"plain", "address"}) {
      assertThat(status(policy, "X-Forwarded-For", "2001:db8:0:1::1")).isEqualTo(200);
      assertThat(status(policy, "X-Forwarded-For", "2001:db8:0:1:ffff::2")).isEqualTo(200);
      assertThat(status(policy, "X-Forwarded-For", "2001:db8:0:1::3")).isEqualTo(429);
      assertThat(status(policy, "X-Forwarded-For", "2001:db8:0:2::1")).isEqualTo(200);
      assertThat(status(policy, "X-Forwarded-For", "::ffff:203.0.118.1")).isEqualTo(200);
      assertThat(status(policy, "X-Forwarded-For", "203.0.118.1")).isEqualTo(200);
      assertThat(status(policy, "X-Forwarded-For", "203.0.118.1")).isEqualTo(429);
      assertThat(status(policy, "X-Forwarded-For", "203.0.118.2")).isEqualTo(200);
    }
  }

  @Test
  void aFullShadowPolicyDeniesNothingAndDoesNotStopTheOthers() {
    String[] ann = {"X-User", "shadow-ann", "X-Forwarded-For", "203.0.119.1"};
    assertThat(status("watched", ann)).isEqualTo(200);
    for (String policies : new String[] {"watched,address", "address,watched,off"}) {
      HttpResponse<String> allowed = ask(policies, ann);
      assertThat(allowed.statusCode()).as(policies).isEqualTo(200);
      assertThat(allowed.headers().firstValue("retry-after")).isEmpty();
      assertThat(allowed.headers().firstValue("ratelimit-policy").orElse(""))
          .startsWith("\"address\"")
          .doesNotContain("watched", "off");
    }
    HttpResponse<String> denied = ask("watched,address", ann);
    assertThat(denied.statusCode()).as("the other policy was charged twice").isEqualTo(429);
    assertThat(denied.body()).contains("Limit address exceeded.");
  }

  @Test
  void aShadowPolicyIsNotChargedForWhatAnotherOneDenies() {
    String[] bob = {"X-User", "shadow-bob", "X-Forwarded-For", "203.0.113.66"};
    for (String policies : new String[] {"watched,banned", "banned,watched"}) {
      assertThat(status(policies, bob)).isEqualTo(429);
    }
    String peek = "{\"policy\":\"watched\",\"attributes\":{\"header:x-user\":\"shadow-bob\"}}";
    assertThat(server.post("/v1/peek", peek).body()).contains("\"used\":0,");
  }

  /** The allow list is by address, and the key is the user: it is charged from elsewhere. */
  @Test
  void anAllowListedPolicyGivesNothingBackWhenAnotherOneDenies() {
    String[] outside = {"X-User", "ann", "X-Forwarded-For", "203.0.119.3"};
    String[] listed = {"X-User", "ann", "X-Forwarded-For", "10.0.119.3"};
    assertThat(status("inside", outside)).isEqualTo(200);
    assertThat(status("inside", outside)).isEqualTo(200);
    for (int i = 0; i < 2; i++) {
      assertThat(status("address", listed)).isEqualTo(200);
    }
    for (String policies : new String[] {"inside,address", "address,inside"}) {
      assertThat(status(policies, listed)).isEqualTo(429);
    }
    assertThat(status("inside", listed)).isEqualTo(200);
    assertThat(status("inside", outside)).as("nothing was given back").isEqualTo(429);
  }

  @Test
  void deniesWithTheStatusThatIsConfigured() {
    for (int status : new int[] {401, 403, 429, 503}) {
      String yaml = "policies: {plain: {limit: 1/1h}}\ndeny-status: " + status;
      try (TestServer other = TestServer.start(yaml)) {
        assertThat(other.get("/v1/forward-auth/plain").statusCode()).isEqualTo(200);
        assertThat(other.get("/v1/forward-auth/plain").statusCode()).isEqualTo(status);
      }
    }
    assertThat(status("none")).isEqualTo(404);
  }

  /** Caddy passes the client's query on. */
  @Test
  void theQueryOfTheRequestChangesNothing() {
    for (int i = 0; i < 2; i++) {
      assertThat(status("plain?permits=0&deny=503&x", "X-Forwarded-For", "203.0.115.1"))
          .isEqualTo(200);
    }
    assertThat(status("plain?permits=0&deny=200", "X-Forwarded-For", "203.0.115.1")).isEqualTo(429);
  }

  private static final String[] TRAEFIK = {
    "X-Forwarded-Method", "PUT", "X-Forwarded-Host", "Shop.example", "X-Forwarded-Uri", "/a/b?c=d"
  };

  @Test
  void findsTheOriginalRequestInTheFieldsOfTheConfiguredProxyOnly() {
    assertThat(status("route", TRAEFIK)).isEqualTo(200);
    String[] withOthers = Arrays.copyOf(TRAEFIK, 12);
    String[] others = {
      "X-Original-Method", "GET", "X-Original-Host", "other.example", "X-Original-URI", "/z"
    };
    System.arraycopy(others, 0, withOthers, 6, 6);
    assertThat(status("route", withOthers)).isEqualTo(429);
    HttpResponse<String> onlyOthers = ask("route", others);
    assertThat(onlyOthers.statusCode()).isEqualTo(429);
    assertThat(onlyOthers.body()).contains("attribute 'method' must be given");
    String[] samePath = TRAEFIK.clone();
    samePath[5] = "//a/x/../%62/?e";
    assertThat(status("route", samePath)).isEqualTo(429);
    String[] otherPath = TRAEFIK.clone();
    otherPath[5] = "/a/c";
    assertThat(status("route", otherPath)).isEqualTo(200);
  }

  @Test
  void aFieldInTwoLinesIsNotBelieved() {
    String[] twice = Arrays.copyOf(TRAEFIK, 8);
    twice[6] = "X-Forwarded-Uri";
    twice[7] = "/other";
    HttpResponse<String> response = ask("route", twice);
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.body()).contains("attribute 'path' must be given");
  }

  @Test
  void believesNothingButTheConnectionOfAPeerThatIsNotTrusted() {
    String yaml =
        """
        policies:
          address: {limit: 1/1h, key: ip}
          path: {limit: 1/1h, key: path}
          tiered: {limit: 1/1h, key: ip, tiers: {gold: 3/1h}, tier-by: "header:x-plan"}
          upload: {limit: 10/1h, key: ip, cost: {attribute: "header:x-size", default: 6}}
        trusted-proxies: [192.0.2.1]
        forwarded-by: traefik
        """;
    try (TestServer other = TestServer.start(yaml)) {
      assertThat(other.get("/readyz").body()).doesNotContain("warnings");
      for (int i = 0; i < 3; i++) {
        HttpRequest.Builder request =
            other.request("/v1/forward-auth/address").header("X-Forwarded-For", "203.0.113." + i);
        assertThat(TestServer.send(request).statusCode()).isEqualTo(i == 0 ? 200 : 429);
        HttpRequest.Builder tiered =
            other.request("/v1/forward-auth/tiered").header("X-Plan", "gold");
        assertThat(TestServer.send(tiered).statusCode()).isEqualTo(i == 0 ? 200 : 429);
        HttpRequest.Builder upload = other.request("/v1/forward-auth/upload").header("X-Size", "1");
        assertThat(TestServer.send(upload).statusCode()).isEqualTo(i == 0 ? 200 : 429);
      }
      HttpRequest.Builder path =
          other.request("/v1/forward-auth/path").header("X-Forwarded-Uri", "/a");
      assertThat(TestServer.send(path).body()).contains("attribute 'path' must be given");
      assertThat(other.get("/readyz").body())
          .contains("\"warnings\":[\"Forwarded header fields arrive at /v1/forward-auth from an");
    }
  }

  @Test
  void envoyAsksWithTheOriginalRequestBehindAPrefix() {
    String yaml =
        """
        policies: {route: {limit: 1/1h, key: [method, host, path, "query:q"]}}
        trusted-proxies: [127.0.0.1]
        forwarded-by: envoy
        """;
    try (TestServer envoy = TestServer.start(yaml)) {
      String uri = "/v1/forward-auth/route/shop/items?q=1";
      assertThat(envoy.get(uri).statusCode()).isEqualTo(200);
      assertThat(envoy.get(uri + "&x=2").statusCode()).isEqualTo(429);
      assertThat(
              TestServer.send(envoy.request(uri).header("X-Forwarded-Uri", "/y?q=2")).statusCode())
          .isEqualTo(429);
      assertThat(envoy.get("/v1/forward-auth/route/shop/other?q=1").statusCode()).isEqualTo(200);
      assertThat(envoy.post(uri, "").statusCode()).isEqualTo(200);
    }
    assertThat(status("plain/shop")).as("another proxy").isEqualTo(404);
  }

  @Test
  void chargesSeveralPoliciesOrNone() {
    String[] client = {"X-Forwarded-For", "203.0.116.1", "Authorization", "a"};
    assertThat(status("key,address", client)).isEqualTo(200);
    HttpResponse<String> denied = ask("key,address", client);
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("Limit key exceeded.");
    assertThat(denied.headers().firstValue("ratelimit").orElse(""))
        .startsWith("\"key\";r=0;t=")
        .contains("\"address\";r=1;t=");
    assertThat(status("address", client)).as("was not charged by the denial").isEqualTo(200);
    HttpResponse<String> both = ask("address,key", client);
    assertThat(both.body()).contains("Limits address, key exceeded.");
    assertThat(status("key,key", client)).isEqualTo(400);
    assertThat(status("key,none", client)).isEqualTo(404);
    assertThat(status("key,", client)).isEqualTo(404);
  }

  @Test
  void aTrustedProxyTellsTheTier() {
    String[] gold = {"X-Forwarded-For", "203.0.117.1", "X-Plan", "gold"};
    for (int i = 0; i < 3; i++) {
      assertThat(status("tiered", gold)).isEqualTo(200);
    }
    assertThat(status("tiered", gold)).isEqualTo(429);
  }

  @Test
  void deniesClientsThatDoNotIdentifyThemselves() {
    assertThat(status("user", "X-User", "ann")).isEqualTo(200);
    assertThat(status("user", "X-User", "ann")).isEqualTo(429);
    assertThat(status("user", "X-User", "bob")).isEqualTo(200);
    HttpResponse<String> nobody = ask("user");
    assertThat(nobody.statusCode()).isEqualTo(429);
    assertThat(nobody.body()).contains("attribute 'header:x-user' must be given");
  }

  @Test
  void readsCookiesQueriesAndApiKeys() {
    String[] session = {"Cookie", "a=b; sid=42", "X-Forwarded-Uri", "/?tab=x%20y"};
    assertThat(status("session", session)).isEqualTo(200);
    assertThat(status("session", session)).isEqualTo(429);
    assertThat(status("secret", "X-Api-Key", "s1")).isEqualTo(200);
    assertThat(status("secret", "X-Api-Key", "s1")).isEqualTo(429);
    assertThat(status("secret", "X-Api-Key", "s1", "Authorization", "Bearer s2")).isEqualTo(429);
    assertThat(status("secret", "Authorization", "Bearer s2")).as("no key").isEqualTo(429);
    assertThat(status("key", "Authorization", "Bearer s2")).isEqualTo(200);
    assertThat(status("key", "Authorization", "Bearer s2", "X-Api-Key", "s3")).isEqualTo(429);
  }

  @Test
  void chargesWhatAHeaderTellsAndDeniesNonsense() {
    assertThat(status("upload", "X-Size", "8")).isEqualTo(200);
    assertThat(status("upload", "X-Size", "3")).isEqualTo(429);
    assertThat(status("upload", "X-Size", "lots")).isEqualTo(429);
    assertThat(status("upload", "X-Size", "0")).isEqualTo(200);
    assertThat(status("upload")).isEqualTo(200);
    assertThat(status("upload", "X-Size", "0")).as("a cost of 0 is 1").isEqualTo(429);
  }

  @Test
  void deniesTheListed() {
    HttpResponse<String> denied = ask("banned", "X-Forwarded-For", "203.0.113.66");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("Denied by policy banned.");
  }
}
