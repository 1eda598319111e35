package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies with {@code charge: always} over HTTP: in batches, and with others on one request. */
class ChargeAlwaysTest {
  private TestServer server;

  @BeforeEach
  void start() {
    server =
        TestServer.start(
            """
            policies:
              llm: {limit: 10/1h, key: ip, charge: always, cost: {attribute: "header:x-tokens"}}
              watched: {limit: 10/1h, key: ip, charge: always, mode: shadow, cost: {attribute: "header:x-tokens"}}
              free: {limit: 10/1h, key: ip}
              full: {limit: 1/1h, key: ip}
            trusted-proxies: [127.0.0.1]
            forwarded-by: nginx
            """);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String item(String policy, int permits) {
    return "{\"policy\":\"%s\",\"key\":\"ann\",\"permits\":%d}".formatted(policy, permits);
  }

  private String batch(String... items) {
    HttpResponse<String> response =
        server.post("/v1/check:batch", "{\"requests\":[" + String.join(",", items) + "]}");
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private long used(String policy) {
    return used("{\"policy\":\"%s\",\"key\":\"ann\"}", policy);
  }

  private long usedByAddress(String policy) {
    return used(
        "{\"policy\":\"%s\",\"attributes\":{\"ip\":\"192.0.2.1\",\"header:x-tokens\":\"1\"}}",
        policy);
  }

  private long used(String request, String policy) {
    String body = server.post("/v1/peek", request.formatted(policy)).body();
    assertThat(body).contains("\"used\":");
    return Long.parseLong(body.replaceAll(".*\"used\":(\\d+),.*", "$1"));
  }

  @Test
  void eachItemOfABatchIsRecordedWhetherItFitsOrNot() {
    String body = batch(item("llm", 7), item("free", 11), item("llm", 7), item("llm", 7));
    assertThat(body)
        .containsSubsequence(
            "{\"status\":200,\"allowed\":true,\"policy\":\"llm\",\"limit\":10,\"remaining\":3,\"used\":7,",
            "{\"status\":429,\"allowed\":false,\"policy\":\"free\",\"limit\":10,\"remaining\":10,\"used\":0,",
            "{\"status\":429,\"allowed\":false,\"policy\":\"llm\",\"limit\":10,\"remaining\":0,\"used\":14,",
            "{\"status\":429,\"allowed\":false,\"policy\":\"llm\",\"limit\":10,\"remaining\":0,\"used\":21,");
    assertThat(used("llm")).isEqualTo(21);
    assertThat(used("free")).isZero();
    assertThat(batch(item("llm", 0))).contains("\"used\":21,");
  }

  @Test
  void aBatchThatIsNotWholeRecordsNothing() {
    String body = "{\"requests\":[" + item("llm", 7) + ",";
    assertThat(server.post("/v1/check:batch", body).statusCode()).isEqualTo(400);
    assertThat(used("llm")).isZero();
  }

  private int forwardAuth(String policies, int tokens) {
    return TestServer.send(
            server
                .request("/v1/forward-auth/" + policies)
                .header("X-Forwarded-For", "192.0.2.1")
                .header("X-Tokens", Integer.toString(tokens)))
        .statusCode();
  }

  @Test
  void aRequestUnderSeveralPoliciesIsRecordedWithTheOthersIfAllAdmitIt() {
    assertThat(forwardAuth("free,llm", 9)).isEqualTo(200);
    assertThat(usedByAddress("free")).isEqualTo(1);
    assertThat(usedByAddress("llm")).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"free,llm", "llm,free"})
  void aCostBeyondTheLimitIsRecordedAndTheOthersEndUncharged(String policies) {
    assertThat(forwardAuth(policies, 40)).isEqualTo(403);
    assertThat(usedByAddress("llm")).isEqualTo(40);
    assertThat(usedByAddress("free")).isZero();
    assertThat(forwardAuth(policies, 1)).as("still over").isEqualTo(403);
    assertThat(usedByAddress("free")).isZero();
  }

  /** As over gRPC: a cost that is known afterwards has been spent, whatever others decide. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "full,free,llm | 4",
        "full,llm,free | 40",
        "llm,free,full | 4",
        "free,llm,full | 40",
        "watched,free,full | 40",
        "full,free,watched | 4"
      })
  void whatIsRecordedStaysRecordedWhenAnotherPolicyDenies(String policies, int tokens) {
    assertThat(forwardAuth("full", 1)).isEqualTo(200);
    assertThat(forwardAuth(policies, tokens)).isEqualTo(403);
    String recorded = policies.contains("llm") ? "llm" : "watched";
    assertThat(usedByAddress(recorded)).isEqualTo(tokens);
    assertThat(usedByAddress("free")).isZero();
    assertThat(usedByAddress("full")).isEqualTo(1);
  }
}
