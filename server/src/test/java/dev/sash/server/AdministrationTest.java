package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdministrationTest {
  private static final String YAML = "policies: {one: {limit: 1/1h}}";
  private static final String ASK = "{\"policy\":\"one\",\"key\":\"ann\"}";
  private static final String TOKEN = "kR7-adminOne-q2Wz9";

  private static final String REFUND_TOKEN = "kR7-refundTwo-8vYt";

  private static TestServer open;
  private static TestServer guarded;

  @BeforeAll
  static void start() {
    open = TestServer.start(YAML);
    guarded =
        TestServer.start(
            YAML,
            http -> http.withTokens(OperatorTokens.of(TOKEN, REFUND_TOKEN)),
            UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    open.close();
    guarded.close();
  }

  private static HttpRequest.Builder reset(TestServer server) {
    return server.request("/v1/reset").POST(BodyPublishers.ofString(ASK));
  }

  @Test
  void withoutATokenTheMachineItselfMay() {
    assertThat(TestServer.send(reset(open)).statusCode()).isEqualTo(204);
    assertThat(open.get("/v1/config").body())
        .startsWith("{\"source\":\"")
        .contains(".yaml\",\"since\":\"")
        .endsWith("\",\"current\":true}");
    assertThat(open.post("/v1/reload", "").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"})
  void butNoProxy(String mark) {
    HttpResponse<String> refused = TestServer.send(reset(open).header(mark, "something"));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("only from the server's own machine");
  }

  @Test
  void withATokenOnlyCallersThatSendIt() {
    for (String path : new String[] {"/v1/inspect/one/ann", "/v1/config"}) {
      assertThat(guarded.get(path).statusCode()).isEqualTo(401);
    }
    assertThat(guarded.post("/v1/reload", "").statusCode()).isEqualTo(401);
    for (String wrong :
        new String[] {"Bearer ", "Bearer " + TOKEN + " ", "Basic " + TOKEN, TOKEN, "bearer"}) {
      HttpResponse<String> refused =
          TestServer.send(reset(guarded).header("Authorization", wrong.strip() + "x"));
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate")).contains("Bearer");
      assertThat(refused.body()).doesNotContain(TOKEN);
    }
    assertThat(
            TestServer.send(reset(guarded).header("Authorization", "Bearer " + TOKEN)).statusCode())
        .isEqualTo(204);
    // Requests that anybody may send need none.
    assertThat(guarded.post("/v1/check", ASK).statusCode()).isEqualTo(200);
  }

  @Test
  void noPartOfTheTokenIsEnoughAndNotTheOneForRefunds() {
    for (int cut = 1; cut < TOKEN.length(); cut++) {
      String part = TOKEN.substring(0, TOKEN.length() - cut);
      assertThat(
              TestServer.send(reset(guarded).header("Authorization", "Bearer " + part))
                  .statusCode())
          .isEqualTo(401);
    }
    assertThat(
            TestServer.send(reset(guarded).header("Authorization", "Bearer " + REFUND_TOKEN))
                .statusCode())
        .isEqualTo(401);
  }
}
