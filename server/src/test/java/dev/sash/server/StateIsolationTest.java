package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** State belongs to a policy, a key and a kind of limit, whatever the names and keys look like. */
class StateIsolationTest {
  private static final String LONGEST_KEY = "x".repeat(1_024);
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            """
            policies:
              tiered: {limit: 2/1h, tiers: {day: 3/1d, pro: 5/1h}}
              plain: {limit: 2/1h}
              ad-hoc: {limit: 2/1h}
              cl-throttle: {limit: 2/1h token-bucket}
              rls.shop: {limit: 2/1h}
            ad-hoc-limits: true
            """);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> check(String policy, String key) {
    return server.post("/v1/check", "{\"policy\":\"%s\",\"key\":\"%s\"}".formatted(policy, key));
  }

  private static HttpResponse<String> check(String policy, String key, String tier) {
    return server.post(
        "/v1/check",
        "{\"policy\":\"%s\",\"key\":\"%s\",\"attributes\":{\"tier\":\"%s\"}}"
            .formatted(policy, key, tier));
  }

  private static HttpResponse<String> checkAdHoc(String key, String limit) {
    return server.post("/v1/check", "{\"key\":\"%s\",\"limits\":[\"%s\"]}".formatted(key, limit));
  }

  private static int used(HttpResponse<String> response) {
    return Integer.parseInt(response.body().replaceAll(".*\"used\":|,.*", ""));
  }

  /** Keys used to be prefixed by the kind of limit, so that callers could name them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sliding-log/86400000000:ann",
        "sliding-log/3600000000:ann",
        "sliding-log/86400000000",
        "tiered:ann",
        "_ad-hoc:ann",
        "{tiered}ann",
        "day:ann"
      })
  void aKeyThatLooksLikeAnInternalNameReachesNoOtherKey(String imitation) {
    String key = "ann";
    server.post("/v1/reset", "{\"policy\":\"tiered\",\"key\":\"ann\"}");
    server.post(
        "/v1/reset", "{\"policy\":\"tiered\",\"key\":\"ann\",\"attributes\":{\"tier\":\"day\"}}");
    server.post("/v1/reset", "{\"key\":\"ann\",\"limits\":[\"4/1d\"]}");
    for (int i = 0; i < 3; i++) {
      check("tiered", imitation);
      check("tiered", imitation, "day");
      checkAdHoc(imitation, "4/1d");
    }

    assertThat(used(check("tiered", key))).isEqualTo(1);
    assertThat(used(check("tiered", key, "day"))).isEqualTo(1);
    assertThat(used(checkAdHoc(key, "4/1d"))).isEqualTo(1);
  }

  @Test
  void theLongestKeyIsAcceptedUnderPoliciesTiersAndAdHocLimits() {
    assertThat(check("plain", LONGEST_KEY).statusCode()).isEqualTo(200);
    assertThat(check("tiered", LONGEST_KEY).statusCode()).isEqualTo(200);
    assertThat(check("tiered", LONGEST_KEY, "day").statusCode()).isEqualTo(200);
    assertThat(checkAdHoc(LONGEST_KEY, "5/7h sliding-counter").statusCode()).isEqualTo(200);
    assertThat(server.get("/v1/check/plain/" + LONGEST_KEY).statusCode()).isEqualTo(200);
    assertThat(check("tiered", LONGEST_KEY + "x", "day").statusCode()).isEqualTo(400);
  }

  @Test
  void aKeyThatAlternatesBetweenTiersGetsNoMoreThanEachTierGivesAlone() {
    int hourly = 0;
    int daily = 0;
    for (int i = 0; i < 20; i++) {
      hourly += check("tiered", "alternating").statusCode() == 200 ? 1 : 0;
      daily += check("tiered", "alternating", "day").statusCode() == 200 ? 1 : 0;
    }
    assertThat(hourly).isEqualTo(2);
    assertThat(daily).isEqualTo(3);
    // A tier that differs only in permits continues from what is charged.
    assertThat(used(check("tiered", "alternating", "pro"))).isEqualTo(3);
  }

  @Test
  void aKeyThatAlternatesBetweenAdHocLimitsGetsNoMoreThanEachGivesAlone() {
    int minutely = 0;
    int hourly = 0;
    for (int i = 0; i < 20; i++) {
      minutely += checkAdHoc("alternating", "2/7m").statusCode() == 200 ? 1 : 0;
      hourly += checkAdHoc("alternating", "3/7h").statusCode() == 200 ? 1 : 0;
    }
    assertThat(minutely).isEqualTo(2);
    assertThat(hourly).isEqualTo(3);
  }

  @Test
  void aPolicyNamedAdHocDoesNotShareStateWithAdHocLimits() {
    for (int i = 0; i < 3; i++) {
      check("ad-hoc", "shared");
    }
    HttpResponse<String> adHoc = checkAdHoc("shared", "2/1h");
    assertThat(used(adHoc)).isEqualTo(1);
    assertThat(adHoc.body()).contains("\"policy\":\"ad-hoc\"");
    String metrics = server.get("/metrics").body();
    assertThat(metrics).contains("policy=\"_ad-hoc\"").contains("policy=\"ad-hoc\"");
  }

  @ParameterizedTest
  @CsvSource({"_ad-hoc", "_cl-throttle", "_rls.shop"})
  void noRequestCanNameAnInternalPolicy(String policy) {
    assertThat(check(policy, "ann").statusCode()).isEqualTo(404);
  }
}
