package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may give permits back: holders of a token, and of a receipt. */
class RefundTest {
  private static final String ADMIN = "f3ZqT8vLw2RkX9sB";
  private static final String REFUND = "mN7pYc4HdJ1uGa6E";
  private static final String YAML =
      """
      policies:
        api: {limit: 5/1h}
        other: {limit: 5/1h}
        short: {limit: 5/1m}
        shadow: {limit: 5/1h, mode: shadow}
      ad-hoc-limits: true
      """;
  private static final Pattern RECEIPT = Pattern.compile("\"receipt\":\"([A-Za-z0-9_-]+)\"");
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            YAML,
            http -> http.withTokens(OperatorTokens.of(ADMIN, REFUND)),
            UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> refund(String body, String... headers) {
    HttpRequest.Builder request = server.request("/v1/refund").POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return TestServer.send(request);
  }

  private static String body(String policy, String key, String more) {
    return "{\"policy\":\"%s\",\"key\":\"%s\"%s}".formatted(policy, key, more);
  }

  private static String receipt(String policy, String key, int permits) {
    HttpResponse<String> response =
        server.post("/v1/check", body(policy, key, ",\"receipt\":true,\"permits\":" + permits));
    assertThat(response.statusCode()).isEqualTo(200);
    Matcher matcher = RECEIPT.matcher(response.body());
    assertThat(matcher.find()).as(response.body()).isTrue();
    return matcher.group(1);
  }

  private static long used(String policy, String key) {
    String body = server.post("/v1/peek", body(policy, key, "")).body();
    Matcher matcher = Pattern.compile("\"used\":(\\d+)").matcher(body);
    assertThat(matcher.find()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void nobodyGivesBackWithoutATokenOrAReceipt() {
    server.post("/v1/check", body("api", "a", ""));
    assertThat(refund(body("api", "a", "")).statusCode()).isEqualTo(401);
    for (String token : new String[] {"", "x", ADMIN.substring(0, 15), ADMIN + "x", REFUND + " "}) {
      HttpResponse<String> refused =
          refund(body("api", "a", ""), "Authorization", "Bearer " + token + "!");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }
    assertThat(used("api", "a")).isEqualTo(1);
  }

  @Test
  void theRefundTokenGivesBackAndDoesNothingElse() {
    server.post("/v1/check", body("api", "b", ",\"permits\":3"));
    HttpResponse<String> given =
        refund(body("api", "b", ",\"permits\":2"), "Authorization", "Bearer " + REFUND);
    assertThat(given.statusCode()).isEqualTo(200);
    assertThat(used("api", "b")).isEqualTo(1);
    HttpRequest.Builder reset =
        server
            .request("/v1/reset")
            .header("Authorization", "Bearer " + REFUND)
            .POST(BodyPublishers.ofString(body("api", "b", "")));
    assertThat(TestServer.send(reset).statusCode()).isEqualTo(401);
    assertThat(refund(body("api", "b", ""), "Authorization", "Bearer " + ADMIN).statusCode())
        .isEqualTo(200);
    assertThat(used("api", "b")).isZero();
  }

  @Test
  void aReceiptIsGoodForOneRefundOfItsOwnCharge() {
    String receipt = ",\"receipt\":\"" + receipt("api", "c", 3) + "\"";
    server.post("/v1/check", body("api", "d", ",\"permits\":3"));
    server.post("/v1/check", body("other", "c", ",\"permits\":3"));

    assertThat(refund(body("api", "d", receipt)).body()).contains("of this policy, key and window");
    assertThat(refund(body("other", "c", receipt)).statusCode()).isEqualTo(400);
    assertThat(refund(body("api", "c", receipt + ",\"permits\":4")).body())
        .contains("permits must be between 1 and 3, the permits of the receipt, was 4");
    assertThat(used("api", "d") + used("other", "c") + used("api", "c")).isEqualTo(9);

    HttpResponse<String> given = refund(body("api", "c", receipt));
    assertThat(given.statusCode()).isEqualTo(200);
    assertThat(given.body()).contains("\"used\":0");
    server.post("/v1/check", body("api", "c", ",\"permits\":2"));
    HttpResponse<String> again = refund(body("api", "c", receipt));
    assertThat(again.statusCode()).isEqualTo(403);
    assertThat(again.body()).contains("the receipt has been used before");
    assertThat(used("api", "c")).isEqualTo(2);
  }

  @Test
  void aChangedReceiptIsNone() {
    String receipt = receipt("api", "e", 1);
    for (int i = 0; i < receipt.length(); i++) {
      char other = receipt.charAt(i) == 'A' ? 'B' : 'A';
      String changed = receipt.substring(0, i) + other + receipt.substring(i + 1);
      HttpResponse<String> refused = refund(body("api", "e", ",\"receipt\":\"" + changed + "\""));
      // The last character has bits that do not count.
      boolean same = i == receipt.length() - 1 && refused.statusCode() == 200;
      assertThat(same || refused.statusCode() == 400).as("at %d: %s", i, refused.body()).isTrue();
    }
    for (String text : new String[] {"", "x", "ä", receipt + "A", "A".repeat(100_000)}) {
      assertThat(refund(body("api", "e", ",\"receipt\":\"" + text + "\"")).statusCode())
          .isIn(400, 413);
    }
  }

  @Test
  void nothingChargedGivesNoReceipt() {
    String wanted = ",\"receipt\":true";
    assertThat(server.post("/v1/check", body("shadow", "f", wanted)).body())
        .doesNotContain("receipt");
    assertThat(server.post("/v1/check", body("api", "f", wanted + ",\"permits\":0")).body())
        .doesNotContain("receipt");
    assertThat(server.post("/v1/check", body("api", "f", wanted + ",\"permits\":6")).body())
        .contains("\"allowed\":false")
        .doesNotContain("receipt");
    assertThat(server.post("/v1/check", body("api", "f", ",\"receipt\":1")).body())
        .contains("receipt must be true or false, was a number");
    assertThat(
            server
                .post("/v1/check", "{\"key\":\"f\",\"limits\":[\"1/1m\"],\"receipt\":true}")
                .body())
        .contains("receipt must not be given with limits");
  }

  @Test
  void everyItemOfABatchMayHaveAReceipt() {
    String batch =
        "{\"requests\":[%s,%s]}"
            .formatted(body("api", "g", ",\"receipt\":true"), body("api", "g", ""));
    String body = server.post("/v1/check:batch", batch).body();
    Matcher matcher = RECEIPT.matcher(body);
    assertThat(matcher.find()).isTrue();
    String receipt = matcher.group(1);
    assertThat(matcher.find()).isFalse();
    assertThat(refund(body("api", "g", ",\"receipt\":\"" + receipt + "\"")).statusCode())
        .isEqualTo(200);
    assertThat(used("api", "g")).isEqualTo(1);
  }
}
