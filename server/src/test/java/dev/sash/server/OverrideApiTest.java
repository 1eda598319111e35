package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverrideApiTest {
  private static final String YAML = "policies: {one: {limit: 2/1h}, two: {limit: 2/1h}}";
  private static final String TOKEN = "kR7-adminOne-q2Wz9";
  private static final String BLOCK =
      "{\"key\":\"%s\",\"effect\":\"block\",\"reason\":\"abuse\",\"author\":\"ann\"}";

  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start(YAML);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> send(TestServer to, String method, String path, String body) {
    return TestServer.send(to.request(path).method(method, BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> put(String policy, String body) {
    return send(server, "PUT", "/v1/overrides/" + policy, body);
  }

  private static HttpResponse<String> check(TestServer of, String policy, String key, int permits) {
    return of.post(
        "/v1/check",
        "{\"policy\":\"%s\",\"key\":\"%s\",\"permits\":%d}".formatted(policy, key, permits));
  }

  private static String detail(HttpResponse<String> response) {
    return new JsonObject(response.body()).getString("detail");
  }

  @Test
  void setsListsAuditsAndRemovesAnOverride() {
    try (TestServer own = TestServer.start(YAML)) {
      assertThat(check(own, "one", "ann", 3).statusCode()).isEqualTo(429);
      HttpResponse<String> set =
          send(
              own,
              "PUT",
              "/v1/overrides/one",
              "{\"key\":\"ann\",\"limits\":[\"5/1h\"],\"reason\":\"migrates today\","
                  + "\"author\":\"bob\",\"expiresIn\":\"2h\"}");
      assertThat(set.statusCode()).isEqualTo(200);
      JsonObject override = new JsonObject(set.body()).getJsonObject("override");
      assertThat(new JsonObject(set.body()).getString("kept")).isEqualTo("memory");
      assertThat(override.getJsonArray("limits")).containsExactly("5/1h sliding-log");
      assertThat(override.getString("effect")).isEqualTo("limits");
      assertThat(
              Duration.between(
                  Instant.parse(override.getString("created")),
                  Instant.parse(override.getString("expires"))))
          .isEqualTo(Duration.ofHours(2));

      HttpResponse<String> raised = check(own, "one", "ann", 3);
      assertThat(raised.body())
          .contains("\"allowed\":true,\"policy\":\"one\",\"limit\":5,")
          .endsWith("\"source\":\"store\",\"override\":\"limits\"}");
      assertThat(raised.headers().firstValue("ratelimit-policy")).contains("\"one\";q=5;w=3600");
      assertThat(check(own, "two", "ann", 3).statusCode()).isEqualTo(429);

      assertThat(listed(own, "")).containsExactly(override);
      assertThat(listed(own, "?policy=one")).containsExactly(override);
      assertThat(listed(own, "?policy=two")).isEmpty();

      String removal = "{\"key\":\"ann\",\"author\":\"cleo\"}";
      assertThat(send(own, "DELETE", "/v1/overrides/one", removal).statusCode()).isEqualTo(200);
      assertThat(check(own, "one", "ann", 1).statusCode()).isEqualTo(429);
      HttpResponse<String> again = send(own, "DELETE", "/v1/overrides/one", removal);
      assertThat(again.statusCode()).isEqualTo(404);
      assertThat(detail(again)).isEqualTo("policy 'one' has no override of exactly this key");

      JsonArray actions = new JsonObject(own.get("/v1/audit").body()).getJsonArray("actions");
      assertThat(actions).hasSize(2);
      assertThat(actions.getJsonObject(0).getString("action")).isEqualTo("remove");
      assertThat(actions.getJsonObject(0).getString("author")).isEqualTo("cleo");
      assertThat(actions.getJsonObject(0).getString("reason")).isEqualTo("not stated");
      assertThat(actions.getJsonObject(0).getJsonObject("override")).isEqualTo(override);
      assertThat(actions.getJsonObject(1).getString("action")).isEqualTo("set");
      assertThat(actions.getJsonObject(1).getString("author")).isEqualTo("bob");
      assertThat(own.get("/metrics").body())
          .contains("sash_server_override_actions_total{action=\"set\"} 1.0")
          .contains("sash_server_override_actions_total{action=\"remove\"} 1.0")
          .contains("sash_server_overrides{effect=\"limits\"} 0.0");
    }
  }

  private static List<Object> listed(TestServer of, String query) {
    JsonArray overrides =
        new JsonObject(of.get("/v1/overrides" + query).body()).getJsonArray("overrides");
    List<Object> list = new ArrayList<>();
    overrides.forEach(list::add);
    return list;
  }

  @Test
  void blocksAPrefixAtOnceAndAdmitsAKeyWithoutLimit() {
    assertThat(put("one", BLOCK.formatted("evil:").replace("key", "prefix")).statusCode())
        .isEqualTo(200);
    HttpResponse<String> blocked = check(server, "one", "evil:1", 1);
    assertThat(blocked.statusCode()).isEqualTo(429);
    assertThat(blocked.body())
        .contains("\"retryAfterMs\":null")
        .endsWith("\"reason\":\"blocked\",\"override\":\"block\"}");
    assertThat(blocked.headers().firstValue("ratelimit")).isEmpty();
    assertThat(put("one", BLOCK.formatted("evil:1").replace("block", "unlimited")).statusCode())
        .isEqualTo(200);
    HttpResponse<String> admitted = check(server, "one", "evil:1", 9);
    assertThat(admitted.statusCode()).isEqualTo(200);
    assertThat(admitted.body()).endsWith("\"reason\":\"unlimited\",\"override\":\"unlimited\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|key or prefix must be given, neither is",
        "{'key':'a','prefix':'a'}|key or prefix must be given, and not both",
        "{'key':'a'}|limits, or the effect unlimited or block, must be given",
        "{'key':'a','effect':'dance'}" + "|effect must be limits, unlimited or block, was 'dance'",
        "{'key':'a','effect':'block'}|reason must be given",
        "{'key':'a','effect':'block','reason':'r'}|author must be given",
        "{'key':'','effect':'block','reason':'r','author':'a'}"
            + "|key must be between 1 and 1024 bytes of UTF-8, was 0 bytes",
        "{'key':'a\\u0007','effect':'block','reason':'r','author':'a'}"
            + "|key must not contain control characters, contains U+0007",
        "{'key':'a','effect':'block','reason':'r\\nlevel=ERROR','author':'a'}"
            + "|reason must not contain control characters, contains U+000A",
        "{'key':'a','effect':'block','limits':['1/m'],'reason':'r','author':'a'}"
            + "|limits must not be given with the effect block, were [1/1m sliding-log]",
        "{'key':'a','limits':[],'reason':'r','author':'a'}|limits must be 1 or more, were 0",
        "{'key':'a','limits':['1/m','2/m'],'reason':'r','author':'a'}|*",
        "{'key':'a','effect':'limits','reason':'r','author':'a'}|limits must be 1 to 8, were 0",
        "{'key':1}|key must be a string, was a number",
        "{'key':'a','key':'b'}|key must be given only once",
        "{'kee':'a'}|unknown field 'kee': allowed are key, prefix, effect, limits, reason, author,"
            + " expiresIn, expiresAt",
        "{'key':'a','effect':'block','reason':'r','author':'a','expiresIn':'1h',"
            + "'expiresAt':'2027-01-01T00:00:00Z'}"
            + "|expiresIn and expiresAt must not both be given",
        "{'key':'a','effect':'block','reason':'r','author':'a','expiresAt':'tomorrow'}"
            + "|time must be such as 2027-01-31T12:00:00Z, between 1970 and 9998, was 'tomorrow'",
        "{'key':'a','effect':'block','reason':'r','author':'a','expiresAt':'2020-01-01T00:00:00Z'}|*",
        "{'key':'a','effect':'block','reason':'r','author':'a','expiresIn':'367d'}|*",
        "{'key':'a'} {}|body must end after its object, has more"
      })
  void refusesAnythingElseAndSaysWhatIsWrong(String body, String detail) {
    HttpResponse<String> refused = put("one", body.replace('\'', '"'));
    assertThat(refused.statusCode()).isEqualTo(400);
    if (!detail.equals("*")) {
      assertThat(detail(refused)).isEqualTo(detail);
    }
    assertThat(server.get("/v1/overrides").body()).doesNotContain("\"key\":\"a\"");
  }

  @Test
  void refusesUnknownPoliciesAndParameters() {
    assertThat(put("three", BLOCK.formatted("a")).statusCode()).isEqualTo(404);
    assertThat(detail(put("three", BLOCK.formatted("a")))).isEqualTo("there is no policy 'three'");
    assertThat(server.get("/v1/overrides?policy=three").statusCode()).isEqualTo(404);
    assertThat(server.get("/v1/overrides?polcy=one").statusCode()).isEqualTo(400);
    assertThat(send(server, "DELETE", "/v1/overrides/three", "{}").statusCode()).isEqualTo(404);
    assertThat(put("one", "x".repeat(70_000)).statusCode()).isEqualTo(413);
  }

  @Test
  void htmlIsOnlyText() {
    String html = "<script>alert(1)</script>";
    assertThat(put("two", BLOCK.formatted(html).replace("abuse", html)).statusCode())
        .isEqualTo(200);
    HttpResponse<String> list = server.get("/v1/overrides?policy=two");
    assertThat(list.headers().firstValue("content-type")).contains("application/json");
    assertThat(list.body()).contains("\"reason\":\"" + html + "\"");
  }

  @Test
  void isForOperatorsOnly() {
    try (TestServer guarded =
        TestServer.start(
            YAML,
            http -> http.withTokens(OperatorTokens.of(TOKEN, null)),
            UnaryOperator.identity())) {
      for (String[] route :
          new String[][] {
            {"GET", "/v1/overrides"},
            {"GET", "/v1/audit"},
            {"PUT", "/v1/overrides/one"},
            {"DELETE", "/v1/overrides/one"}
          }) {
        assertThat(send(guarded, route[0], route[1], BLOCK.formatted("a")).statusCode())
            .isEqualTo(401);
        HttpRequest.Builder page =
            guarded
                .request(route[1])
                .header("Authorization", "Bearer " + TOKEN)
                .header("Origin", "https://evil.example")
                .method(route[0], BodyPublishers.ofString(BLOCK.formatted("a")));
        assertThat(TestServer.send(page).statusCode()).isEqualTo(403);
      }
      assertThat(
              TestServer.send(
                      guarded
                          .request("/v1/overrides/one")
                          .header("Authorization", "Bearer " + TOKEN)
                          .PUT(BodyPublishers.ofString(BLOCK.formatted("a"))))
                  .statusCode())
          .isEqualTo(200);
      assertThat(check(guarded, "one", "a", 1).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void survivesARestartWithAStateDirectory(@TempDir Path folder) throws Exception {
    UnaryOperator<ServerOptions> options = it -> it.withState(folder, Duration.ofHours(1));
    try (TestServer first = TestServer.start(YAML, options)) {
      HttpResponse<String> set =
          send(first, "PUT", "/v1/overrides/one", BLOCK.formatted("mallory"));
      assertThat(set.body()).startsWith("{\"kept\":\"file\",");
      // It is there before the answer is: a server that is killed loses nothing.
      assertThat(folder.resolve("overrides.sash")).isNotEmptyFile();
    }
    try (TestServer second = TestServer.start(YAML, options)) {
      assertThat(check(second, "one", "mallory", 1).body()).contains("\"reason\":\"blocked\"");
      assertThat(second.get("/v1/audit").body()).contains("\"author\":\"ann\"");
      // What cannot be saved does not take effect.
      Files.createDirectory(folder.resolve("overrides.sash.new"));
      HttpResponse<String> refused =
          send(second, "PUT", "/v1/overrides/one", BLOCK.formatted("bob"));
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(detail(refused)).startsWith("overrides cannot be saved to ");
      assertThat(check(second, "one", "bob", 1).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aFileThatCannotBeReadIsNotReplaced(@TempDir Path folder) throws Exception {
    Path file = Files.createDirectory(folder.resolve("overrides.sash"));
    try (TestServer own = TestServer.start(YAML, it -> it.withState(folder, Duration.ofHours(1)))) {
      HttpResponse<String> refused = send(own, "PUT", "/v1/overrides/one", BLOCK.formatted("ann"));
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(detail(refused)).startsWith("overrides cannot be read from " + file);
      assertThat(check(own, "one", "ann", 1).statusCode()).isEqualTo(200);
      Files.delete(file);
      assertThat(send(own, "PUT", "/v1/overrides/one", BLOCK.formatted("ann")).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void anOverrideOfAPolicyThatIsNoLongerConfiguredCanBeRemoved() throws Exception {
    try (TestServer own = TestServer.start(YAML)) {
      send(own, "PUT", "/v1/overrides/two", BLOCK.formatted("ann"));
      own.write("policies: {one: {limit: 2/1h}}");
      assertThat(own.post("/v1/reload", "").statusCode()).isEqualTo(200);
      assertThat(listed(own, "?policy=two")).hasSize(1);
      String removal = "{\"key\":\"ann\",\"author\":\"bob\"}";
      assertThat(send(own, "DELETE", "/v1/overrides/two", removal).statusCode()).isEqualTo(200);
      assertThat(send(own, "DELETE", "/v1/overrides/two", removal).statusCode()).isEqualTo(404);
    }
  }

  @RepeatedTest(20)
  void ofManyOperatorsAtOnceNobodyLosesAnything() throws Exception {
    try (TestServer own = TestServer.start(YAML)) {
      ExecutorService crowd = Executors.newFixedThreadPool(4);
      List<Callable<Integer>> operators = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        String body = BLOCK.formatted("key-" + i);
        operators.add(() -> send(own, "PUT", "/v1/overrides/one", body).statusCode());
      }
      for (Future<Integer> status : crowd.invokeAll(operators)) {
        assertThat(status.get()).isEqualTo(200);
      }
      crowd.shutdown();
      assertThat(listed(own, "")).hasSize(20);
    }
  }
}
