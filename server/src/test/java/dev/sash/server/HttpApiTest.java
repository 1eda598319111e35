package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpApiTest {
  private static final AtomicInteger KEYS = new AtomicInteger();
  private static TestServer server;

  /** Nobody else has it. */
  private final String key = "key-" + KEYS.incrementAndGet();

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            """
            policies:
              three: {limit: 3/1h}
              both: {limits: [5/1m, 3/1h]}
              listed: {limit: 1/1h, key: ip, allow: ["vip"], deny: ["mallory"]}
              shadow: {limit: 1/1h, mode: shadow}
              tiered: {limit: 1/1h, tiers: {pro: 5/1h}, tier-by: plan}
            ad-hoc-limits: true
            """);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private String ask(String policy) {
    return "{\"policy\":\"%s\",\"key\":\"%s\"}".formatted(policy, key);
  }

  private static String field(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void countsDownAndThenDenies() {
    for (int left = 2; left >= 0; left--) {
      HttpResponse<String> allowed = server.post("/v1/check", ask("three"));
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(allowed.body())
          .isEqualTo(
              """
              {"allowed":true,"policy":"three","limit":3,"remaining":%d,"used":%d,\
              "currentCount":%d,"retryAfterMs":0,"resetAfterMs":3600000,"ttl":3600,\
              "source":"store"}"""
                  .formatted(left, 3 - left, 3 - left));
      assertThat(field(allowed, "content-type")).isEqualTo("application/json");
      assertThat(field(allowed, "ratelimit-policy")).isEqualTo("\"three\";q=3;w=3600");
      assertThat(field(allowed, "ratelimit")).isEqualTo("\"three\";r=" + left + ";t=3600");
      assertThat(allowed.headers().firstValue("retry-after")).isEmpty();
    }
    HttpResponse<String> denied = server.post("/v1/check", ask("three"));
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body())
        .startsWith(
            "{\"allowed\":false,\"policy\":\"three\",\"limit\":3,\"remaining\":0,\"used\":3")
        .contains(",\"ttl\":3600,");
    assertThat(Integer.parseInt(field(denied, "retry-after"))).isBetween(3540, 3600);
    assertThat(field(denied, "cache-control")).isEqualTo("no-store");
  }

  @Test
  void answersInAPathWithAKeyDecodedOnce() {
    String path = "/v1/check/three/" + key + "%2F%2541%20";
    assertThat(server.get(path + "?permits=2").body()).contains("\"remaining\":1,");
    String json = "{\"policy\":\"three\",\"key\":\"" + key + "/%41 \"}";
    assertThat(server.post("/v1/check", json).body()).contains("\"remaining\":0,");
    assertThat(server.get(path).statusCode()).isEqualTo(429);
    assertThat(server.get("/v1/check/tiered/" + key + "?attr.plan=pro").body())
        .contains("\"limit\":5,");
  }

  /** JSON can say it, UTF-8 cannot. */
  @Test
  void halfASurrogatePairIsNoTrouble() {
    HttpResponse<String> unknown =
        server.post("/v1/check", "{\"policy\":\"\\ud800\",\"key\":\"k\"}");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("there is no policy '(not a policy's name)'");
    HttpResponse<String> field = server.post("/v1/check", "{\"\\udd60\":1}");
    assertThat(field.statusCode()).isEqualTo(400);
    assertThat(field.body()).contains("body must be JSON at line 1, column ");
  }

  @Test
  void anImpossibleRequestHasNoTimeToComeBack() {
    HttpResponse<String> denied = server.get("/v1/check/three/" + key + "?permits=4");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("\"retryAfterMs\":null,");
    assertThat(denied.headers().firstValue("retry-after")).isEmpty();
  }

  @Test
  void answersEveryItemOfABatchByItself() {
    String item = ask("three");
    HttpResponse<String> batch =
        server.post(
            "/v1/check:batch",
            "{\"requests\":["
                + String.join(",", item, item, "{\"policy\":\"none\",\"key\":\"k\"}", item)
                + ","
                + item
                + ",{\"policy\":\"three\",\"key\":7},{\"policy\":\"three\",\"key\":\"\"}]}");
    assertThat(batch.statusCode()).isEqualTo(200);
    assertThat(batch.body())
        .startsWith("{\"results\":[{\"status\":200,\"allowed\":true,")
        .contains("{\"status\":429,\"allowed\":false,")
        .contains("\"status\":404,\"detail\":\"there is no policy 'none'\"}")
        .contains("\"status\":400,\"detail\":\"key must be a string, was a number\"}")
        .endsWith("key must be between 1 and 1024 bytes of UTF-8, was 0 bytes\"}]}");
    assertThat(server.post("/v1/check:batch", "{\"requests\":[]}").body())
        .isEqualTo("{\"results\":[]}");
  }

  @Test
  void aBatchThatIsNotWholeChargesNobody() {
    String item = ask("three");
    assertThat(server.post("/v1/check:batch", "{\"requests\":[" + item + ",").statusCode())
        .isEqualTo(400);
    assertThat(server.post("/v1/peek", item).body()).contains("\"used\":0,");
  }

  @Test
  void peeksGivesBackAndForgets() {
    server.post("/v1/check", "{\"policy\":\"three\",\"key\":\"%s\",\"permits\":3}".formatted(key));
    assertThat(server.post("/v1/peek", ask("three")).body()).contains("\"used\":3,");
    HttpResponse<String> refund =
        server.post(
            "/v1/refund", "{\"policy\":\"three\",\"key\":\"%s\",\"permits\":2}".formatted(key));
    assertThat(refund.statusCode()).isEqualTo(200);
    assertThat(refund.body()).contains("\"used\":1,");
    assertThat(server.post("/v1/reset", ask("three")).statusCode()).isEqualTo(204);
    assertThat(server.post("/v1/peek", ask("three")).body()).contains("\"used\":0,");
  }

  @Test
  void decidesByLimitsOfTheRequest() {
    String ask = "{\"key\":\"%s\",\"limits\":[\"1/1m\",\"5/1h\"]}".formatted(key);
    HttpResponse<String> allowed = server.post("/v1/check", ask);
    assertThat(allowed.body()).contains("\"policy\":\"ad-hoc\"").contains("\"limit\":1,");
    assertThat(field(allowed, "ratelimit-policy"))
        .isEqualTo("\"ad-hoc:1/1m\";q=1;w=60, \"ad-hoc:5/1h\";q=5;w=3600");
    assertThat(server.post("/v1/check", ask).statusCode()).isEqualTo(429);
    assertThat(server.post("/v1/refund", ask).body()).contains("\"used\":0,");
    assertThat(server.post("/v1/peek", ask).body()).contains("\"used\":0,");
    assertThat(server.post("/v1/reset", ask).statusCode()).isEqualTo(204);
  }

  @Test
  void saysWhyWhenItIsNotTheLimit() {
    assertThat(server.get("/v1/check/listed/vip").body()).endsWith(",\"reason\":\"allow-list\"}");
    HttpResponse<String> denied = server.get("/v1/check/listed/mallory");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).endsWith(",\"reason\":\"deny-list\"}");
    server.get("/v1/check/shadow/" + key);
    HttpResponse<String> watched = server.get("/v1/check/shadow/" + key);
    assertThat(watched.statusCode()).isEqualTo(200);
    assertThat(watched.body()).endsWith(",\"reason\":\"shadow\"}");
    assertThat(watched.headers().firstValue("retry-after")).isEmpty();
  }

  @Test
  void severalLimitsAreToldApart() {
    HttpResponse<String> response = server.post("/v1/check", ask("both"));
    assertThat(field(response, "ratelimit-policy"))
        .isEqualTo("\"both:5/1m\";q=5;w=60, \"both:3/1h\";q=3;w=3600");
    assertThat(field(response, "ratelimit")).startsWith("\"both:3/1h\";r=2");
  }

  @Test
  void listsPoliciesAndInspectsKeys() {
    assertThat(server.get("/v1/policies").body())
        .contains(
            "{\"name\":\"tiered\",\"limits\":[\"1/1h sliding-log\"],\"mode\":\"enforce\","
                + "\"onFailure\":\"local\",\"deadlineMs\":50,\"key\":[],\"tierBy\":\"plan\","
                + "\"tiers\":{\"pro\":[\"5/1h sliding-log\"]}}");
    server.post("/v1/check", ask("three"));
    assertThat(server.get("/v1/inspect/three/" + key).body())
        .startsWith(
            "{\"key\":\"" + key + "\",\"store\":\"memory\",\"limits\":[\"3/1h sliding-log\"]")
        .contains("\"used\":1,");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/check/none/a          | 404 | there is no policy 'none'",
        "/v1/check/three/%C3       | 400 | key must be UTF-8, percent-encoded",
        "/v1/check/three/          | 400 | key must be between 1 and 1024 bytes of UTF-8, was 0 bytes",
        "/v1/check/three/a?permit=1 | 400 | query must have no parameters but permits and attr.<name>, has another",
        "/v1/check/three/a?permits=-1 | 400 | permits must be a whole number between 0 and 1000000000",
        "/v1/check/three/a?permits=1000000001 | 400 | permits must be between 0 and 1000000000, was 1000000001",
        "/v1/check/three/a/b       | 404 | there is nothing at this path; /openapi.json says what there is",
        "/v1/check/three           | 404 | there is nothing at this path; /openapi.json says what there is",
        "/nothing                  | 404 | there is nothing at this path; /openapi.json says what there is",
        "/v1/check                 | 405 | method must be POST",
      })
  void saysWhatIsWrong(String path, int status, String detail) {
    HttpResponse<String> response = server.get(path);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(field(response, "content-type")).isEqualTo("application/problem+json");
    assertThat(response.body())
        .startsWith("{\"type\":\"about:blank\",\"title\":\"")
        .endsWith("\"status\":" + status + ",\"detail\":\"" + detail + "\"}");
  }

  @Test
  void countsWhatItIsAskedButNoKeys() {
    server.post("/v1/check", ask("three"));
    server.post("/v1/check", "{}");
    HttpResponse<String> metrics = server.get("/metrics");
    assertThat(field(metrics, "content-type")).startsWith("text/plain; version=0.0.4");
    assertThat(metrics.body())
        .containsPattern(
            "sash_server_requests_total\\{operation=\"check\",outcome=\"allowed\","
                + "protocol=\"http\"} [1-9]")
        .containsPattern(
            "sash_server_requests_total\\{operation=\"check\",outcome=\"invalid\","
                + "protocol=\"http\"} [1-9]")
        .contains("sash_store_up{store=\"memory\"} 1.0")
        .contains("sash_server_config_current 1.0")
        .contains("jvm_memory_used_bytes")
        .doesNotContain(key);
  }

  @Test
  void describesItself() {
    HttpResponse<String> json = server.get("/openapi.json");
    assertThat(field(json, "content-type")).isEqualTo("application/json");
    assertThat(json.body())
        .startsWith("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Sash\",")
        .contains("\"/v1/check/{policy}/{key}\":{\"get\":{")
        .contains("\"maxItems\":1000,");
    HttpResponse<String> yaml = server.get("/openapi.yaml");
    assertThat(field(yaml, "content-type")).isEqualTo("application/yaml");
    assertThat(yaml.body()).startsWith("openapi: 3.1.0\n");
  }

  @Test
  void isAliveAndReady() {
    assertThat(server.get("/livez").body()).isEqualTo("ok\n");
    assertThat(server.get("/readyz").body())
        .isEqualTo(
            "{\"ready\":true,\"store\":\"memory\",\"storeUp\":true,\"configurationCurrent\":true}");
    HttpResponse<String> head =
        TestServer.send(server.request("/livez").method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }
}
