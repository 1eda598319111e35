package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.statistics.KeyMode;
import dev.sash.server.statistics.StatisticsOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatisticsApiTest {
  private static final String TOKEN = "kR7-adminOne-q2Wz9";
  private static final String YAML =
      """
      policies:
        http: {limit: 2/1h}
        path: {limit: 1/1h}
        batch: {limit: 1/1h}
        proxy: {limit: 1/1h}
        other: {limit: 9/1h}
        resp: {limit: 1/1h}
        shadow: {limit: 1/1h, mode: shadow}
        listed: {limit: 1/1h, deny: [eve], allow: [ann]}
        always: {limit: 1/1h, charge: always}
        peeked: {limit: 1/1h}
        unused: {limit: 1/1h}
      ad-hoc-limits: true
      """;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        TestServer.start(
            YAML,
            options -> options.withResp(RespOptions.builder().host("127.0.0.1").port(0).build()));
    for (int i = 0; i < 3; i++) {
      server.post("/v1/check", "{\"policy\":\"http\",\"key\":\"käy:1\"}");
      server.get("/v1/check/path/k");
      server.post(
          "/v1/check:batch",
          "{\"requests\":[{\"policy\":\"batch\",\"key\":\"k\"},{\"policy\":\"batch\",\"key\":\"l\"}]}");
      server.get("/v1/forward-auth/proxy,other");
      server.post("/v1/check", "{\"policy\":\"shadow\",\"key\":\"k\"}");
      server.post("/v1/check", "{\"policy\":\"listed\",\"key\":\"eve\"}");
      server.post("/v1/check", "{\"policy\":\"listed\",\"key\":\"ann\"}");
      server.post("/v1/check", "{\"policy\":\"always\",\"key\":\"k\",\"permits\":1}");
      server.post("/v1/check", "{\"limits\":[\"1/1h\"],\"key\":\"k\"}");
      server.post("/v1/peek", "{\"policy\":\"peeked\",\"key\":\"k\"}");
      server.get("/v1/inspect/peeked/k");
      server.post("/v1/refund", "{\"policy\":\"peeked\",\"key\":\"k\",\"permits\":1}");
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server().respPort())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      String check = "SASH.CHECK resp k\r\n";
      String throttle = "CL.THROTTLE k 0 1 3600\r\n";
      out.write(
          (check + check + throttle + throttle + "QUIT\r\n").getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject json(String path) {
    HttpResponse<String> response = server.get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return new JsonObject(response.body());
  }

  private static long count(JsonObject counts, String measure) {
    return counts.getJsonObject(measure).getLong("hour");
  }

  /** Every way to ask for permits, and nothing else. */
  @ParameterizedTest
  @CsvSource({
    "http, 2, 1, 0",
    "path, 1, 2, 0",
    "batch, 2, 4, 0",
    "proxy, 1, 2, 0",
    "resp, 1, 1, 0",
    "shadow, 3, 0, 2",
    "listed, 3, 3, 0",
    "always, 1, 2, 0",
    "_ad-hoc, 1, 2, 0",
    "_cl-throttle, 1, 1, 0",
    "unused, 0, 0, 0",
    "peeked, 0, 0, 0"
  })
  void countsTheDecisionsOfEveryEdge(String policy, int allowed, int denied, int wouldDeny) {
    JsonObject counts = json("/v1/statistics/" + policy);
    assertThat(count(counts, "allowed")).isEqualTo(allowed);
    assertThat(count(counts, "denied")).isEqualTo(denied);
    assertThat(count(counts, "wouldDeny")).isEqualTo(wouldDeny);
    assertThat(count(counts, "fallbacks")).isZero();
  }

  @Test
  void listsThePoliciesWithTheMostDenialsFirst() {
    JsonObject all = json("/v1/statistics?limit=1");
    assertThat(all.getString("keys")).isEqualTo("shown");
    assertThat(all.getInteger("lost")).isZero();
    assertThat(all.getInteger("policyCount")).isEqualTo(11);
    JsonArray policies = all.getJsonArray("policies");
    assertThat(policies).hasSize(1);
    assertThat(policies.getJsonObject(0).getString("policy")).isEqualTo("batch");
    assertThat(count(policies.getJsonObject(0), "denied")).isEqualTo(4);
    assertThat(count(all.getJsonObject("total"), "denied")).isEqualTo(18);
    assertThat(count(all.getJsonObject("total"), "wouldDeny")).isEqualTo(2);
  }

  @Test
  void tellsWhoIsDeniedAndWhenAndHowMuchOfTheLimitIsUsed() {
    JsonObject http = json("/v1/statistics/http");
    assertThat(http.getJsonObject("deniedKeys"))
        .isEqualTo(
            new JsonObject(
                "{\"total\":1,\"maxError\":0,\"keys\":[{\"key\":\"käy:1\",\"count\":1,\"error\":0}]}"));
    assertThat(http.getJsonObject("spenders").getInteger("total")).isEqualTo(2);
    JsonObject day = http.getJsonObject("peakUse").getJsonObject("day");
    assertThat(day)
        .isEqualTo(
            new JsonObject(
                "{\"keys\":1,\"deniedKeys\":1,\"exact\":true,\"above50\":1.0,\"above80\":1.0,\"above100\":1.0}"));
    for (String series : List.of("seconds", "minutes")) {
      JsonArray denied = http.getJsonObject(series).getJsonArray("denied");
      assertThat(denied).hasSize(series.equals("seconds") ? 900 : 1_440);
      assertThat(denied.stream().mapToInt(Integer.class::cast).sum()).isEqualTo(1);
    }
  }

  @Test
  void listsTheLatestDenials() {
    JsonArray denials = json("/v1/denials?policy=http").getJsonArray("denials");
    assertThat(denials).hasSize(1);
    JsonObject denial = denials.getJsonObject(0);
    assertThat(denial.getString("key")).isEqualTo("käy:1");
    assertThat(denial.getString("decidedBy")).isEqualTo("2/1h sliding-log");
    assertThat(denial.getInteger("limit")).isEqualTo(2);
    assertThat(denial.getInteger("used")).isEqualTo(2);
    assertThat(denial.getLong("retryAfterMs")).isBetween(3_000_000L, 3_600_000L);
    assertThat(denial.getBoolean("shadow")).isFalse();

    JsonObject listed =
        json("/v1/denials?policy=listed&limit=1").getJsonArray("denials").getJsonObject(0);
    assertThat(listed.fieldNames())
        .containsExactlyInAnyOrder("time", "policy", "key", "permits", "retryAfterMs", "shadow");
    assertThat(listed.getValue("retryAfterMs")).isNull();
    assertThat(json("/v1/denials").getJsonArray("denials")).hasSize(20);
    assertThat(json("/v1/denials?limit=3").getJsonArray("denials")).hasSize(3);
    assertThat(json("/v1/denials?policy=unused").getJsonArray("denials")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/statistics?limit=0|limit must be a whole number between 1 and 1000, was 0",
        "/v1/statistics?limit=1001|limit must be a whole number between 1 and 1000, was 1001",
        "/v1/denials?limit=x|limit must be a whole number between 1 and 1000, was something else",
        "/v1/denials?limit=99999999999|limit must be a whole number between 1 and 1000, was"
            + " something else",
        "/v1/denials?limit=-1|limit must be a whole number between 1 and 1000, was something else",
        "/v1/denials?a=1|query must have no parameters but limit and policy, has another",
        "/v1/denials?limit=1&limit=2|query must have a parameter only once, has one twice",
        "/v1/denials?policy=a%20b|policy must be 1 to 64 letters, digits, dots, hyphens and"
            + " underscores, is something else",
        "/v1/statistics/%3Cb%3E|policy must be 1 to 64 letters, digits, dots, hyphens and"
            + " underscores, is something else",
        "/v1/statistics/http?limit=1|query must have no parameters, has one"
      })
  void refusesWhatItDoesNotUnderstand(String path, String message) {
    HttpResponse<String> refused = server.get(path);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(new JsonObject(refused.body()).getString("detail")).isEqualTo(message);
  }

  @Test
  void thereIsNoPolicyThatNeverWas() {
    assertThat(server.get("/v1/statistics/none").statusCode()).isEqualTo(404);
    assertThat(server.get("/v1/statistics/http/more").statusCode()).isEqualTo(404);
  }

  @Test
  void withoutTheTokenThereAreOnlySums() {
    try (TestServer guarded =
        TestServer.start(
            YAML,
            http -> http.withTokens(OperatorTokens.of(TOKEN, null)),
            UnaryOperator.identity())) {
      guarded.post("/v1/check", "{\"policy\":\"http\",\"key\":\"secret-ann\",\"permits\":3}");
      HttpResponse<String> sums = guarded.get("/v1/statistics");
      assertThat(sums.statusCode()).isEqualTo(200);
      assertThat(sums.body()).contains("\"policy\":\"http\"").doesNotContain("secret-ann");
      for (String path : List.of("/v1/statistics/http", "/v1/statistics/none", "/v1/denials")) {
        assertThat(guarded.get(path).statusCode()).isEqualTo(401);
        HttpResponse<String> permitted =
            TestServer.send(guarded.request(path).header("Authorization", "Bearer " + TOKEN));
        assertThat(permitted.statusCode()).isEqualTo(path.endsWith("none") ? 404 : 200);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HASHED", "HIDDEN"})
  void keysThatAreNotToBeKeptAreInNoResponse(String mode) {
    StatisticsOptions options = new StatisticsOptions(true, KeyMode.valueOf(mode));
    try (TestServer quiet = TestServer.start(YAML, it -> it.withStatistics(options))) {
      quiet.post("/v1/check", "{\"policy\":\"http\",\"key\":\"secret-ann\",\"permits\":3}");
      for (String path : List.of("/v1/statistics", "/v1/statistics/http", "/v1/denials")) {
        HttpResponse<String> response = quiet.get(path);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("http").doesNotContain("secret");
        assertThat(response.body().contains("\"key\":"))
            .isEqualTo(mode.equals("HASHED") && !path.equals("/v1/statistics"));
      }
    }
  }

  @Test
  void aServerWithoutStatisticsSaysSo() {
    StatisticsOptions off = new StatisticsOptions(false, KeyMode.SHOWN);
    try (TestServer without = TestServer.start(YAML, it -> it.withStatistics(off))) {
      assertThat(without.post("/v1/check", "{\"policy\":\"http\",\"key\":\"k\"}").statusCode())
          .isEqualTo(200);
      for (String path : List.of("/v1/statistics", "/v1/statistics/http", "/v1/denials")) {
        assertThat(without.get(path).statusCode()).isEqualTo(404);
        assertThat(without.get(path).body()).contains("started without them");
      }
    }
  }
}
