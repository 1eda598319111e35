package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code /v1/explain} says is what a request then receives. */
class ExplainTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            """
            policies:
              two: {limits: [3/1h, 100/1d fixed-window], allow: ["friend:1"], deny: ["foe:1"]}
              watched: {limit: 1/1h, mode: shadow}
              idle: {limit: 1/1h, mode: off}
              made: {limit: 5/1h, key: [ip, path]}
            """);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonObject explain(String query) {
    HttpResponse<String> response = server.get("/v1/explain?" + query);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return new JsonObject(response.body());
  }

  private static int check(String policy, String key, int permits) {
    return server.get("/v1/check/" + policy + "/" + key + "?permits=" + permits).statusCode();
  }

  @Test
  void itSaysWhichLimitDecidesAndWhenItsPermitsLeave() {
    assertThat(explain("policy=two&key=ann").getString("sentence"))
        .isEqualTo("Admitted: 0 of 3 permits of 3/1h sliding-log are used, 1 requested.");
    assertThat(check("two", "ann", 2)).isEqualTo(200);

    JsonObject denied = explain("policy=two&key=ann&permits=2");
    assertThat(denied.getString("sentence"))
        .matches(
            "Denied: 2 of 3 permits of 3/1h sliding-log are used, 2 requested. The request fits in"
                + " 3(600|59\\d)\\.\\d{3} s, unless more is charged before.");
    assertThat(denied.getString("decidedBy")).isEqualTo("3/1h sliding-log");
    assertThat(denied.getString("reason")).isEqualTo("limit");
    assertThat(denied.getJsonObject("state").getBoolean("allowed")).isFalse();
    JsonObject log = denied.getJsonArray("limits").getJsonObject(0);
    assertThat(log.getLong("used")).isEqualTo(2);
    assertThat(log.getLong("remaining")).isEqualTo(1);
    assertThat(log.getBoolean("fits")).isFalse();
    assertThat(log.getJsonArray("releases")).hasSize(1);
    assertThat(log.getJsonArray("releases").getJsonObject(0).getLong("used")).isZero();
    assertThat(log.getJsonArray("releases").getJsonObject(0).getLong("afterMs"))
        .isEqualTo(denied.getJsonObject("state").getLong("retryAfterMs"));
    JsonObject window = denied.getJsonArray("limits").getJsonObject(1);
    assertThat(window.getString("limit")).isEqualTo("100/1d fixed-window");
    assertThat(window.getBoolean("fits")).isTrue();

    assertThat(check("two", "ann", 2)).isEqualTo(429);
    assertThat(check("two", "ann", 1)).as("explaining charged nothing").isEqualTo(200);
    assertThat(explain("policy=two&key=ann&permits=4").getString("sentence"))
        .isEqualTo("Denied: 3/1h sliding-log never admits 4 permits at once.");
  }

  @Test
  void itSaysWhyLimitsAreNotConsulted() {
    assertThat(explain("policy=two&key=friend:1").getString("sentence"))
        .isEqualTo("Admitted: the key is on the allow list of policy 'two'.");
    JsonObject foe = explain("policy=two&key=foe:1");
    assertThat(foe.getString("sentence"))
        .isEqualTo("Denied: the key is on the deny list of policy 'two'.");
    assertThat(foe.getJsonArray("limits")).isEmpty();
    assertThat(foe.containsKey("decidedBy")).isFalse();
    assertThat(explain("policy=idle&key=ann").getString("sentence"))
        .isEqualTo("Admitted: policy 'idle' is off.");
  }

  @Test
  void itSaysWhatAShadowPolicyWouldDo() {
    assertThat(check("watched", "ann", 1)).isEqualTo(200);
    JsonObject watched = explain("policy=watched&key=ann");
    assertThat(watched.getString("sentence"))
        .startsWith(
            "Admitted, since policy 'watched' is in shadow mode. It would be: Denied: 1 of 1");
    assertThat(watched.getJsonObject("state").getBoolean("allowed")).isTrue();
  }

  @Test
  void aPolicyMakesTheKeyOfAttributes() {
    assertThat(explain("policy=made&attr.ip=192.0.2.1&attr.path=/a").getString("key"))
        .contains("192.0.2.1")
        .contains("/a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "key=ann                         | 400 | query must have the parameter policy",
        "policy=two                      | 400 | key",
        "policy=nobody&key=ann           | 404 | nobody",
        "policy=two&key=ann&permits=-1   | 400 | permits must be a whole number between 0",
        "policy=two&key=ann&other=1      | 400 | no parameters but policy, key, permits and attr.",
        "policy=two&key=ann&key=bob      | 400 | only once"
      })
  void whatIsWrongIsSaid(String query, int status, String reason) {
    HttpResponse<String> response = server.get("/v1/explain?" + query);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).contains(reason);
  }

  @Test
  void itIsForOperators() {
    try (TestServer guarded =
        TestServer.start(
            "policies: {one: {limit: 1/1h}}",
            http -> http.withTokens(OperatorTokens.of("kR7-adminOne-q2Wz9", null)),
            UnaryOperator.identity())) {
      assertThat(guarded.get("/v1/explain?policy=one&key=ann").statusCode()).isEqualTo(401);
      assertThat(
              TestServer.send(
                      guarded
                          .request("/v1/explain?policy=one&key=ann")
                          .header("Authorization", "Bearer kR7-adminOne-q2Wz9"))
                  .statusCode())
          .isEqualTo(200);
    }
  }
}
