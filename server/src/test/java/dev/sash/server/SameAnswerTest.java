package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A question has the same answer in every form in which it can be asked. */
class SameAnswerTest {
  private static final Pattern RETRY_AFTER_MS = Pattern.compile("\"retryAfterMs\":(\\d+)");

  /**
   * A question.
   *
   * @param more what follows the key in JSON
   * @param query the same in a query; null if that cannot be asked there
   */
  private record Step(String policy, String more, @Nullable String query) {}

  private static final List<Step> STEPS =
      List.of(
          new Step("two", "", ""),
          new Step("two", ",\"permits\":3", "?permits=3"),
          new Step("two", ",\"permits\":0", "?permits=0"),
          new Step("two", ",\"permits\":1,\"receipt\":true", null),
          new Step("two", "", ""),
          new Step("two", ",\"receipt\":true", null),
          new Step("two", ",\"permits\":0", "?permits=0"),
          new Step("two", ",\"permits\":1000000001", "?permits=1000000001"),
          new Step("shadow", ",\"receipt\":true", null),
          new Step("shadow", "", ""),
          new Step("allowed", "", ""),
          new Step("denied", ",\"receipt\":true", null),
          new Step("denied", "", ""),
          new Step("off", ",\"permits\":9", "?permits=9"),
          new Step("tiered", ",\"attributes\":{\"plan\":\"pro\"}", "?attr.plan=pro"),
          new Step("tiered", "", ""),
          new Step("none", "", ""));

  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            """
            policies:
              two: {limit: 2/1h}
              shadow: {limit: 1/1h, mode: shadow}
              allowed: {limit: 1/1h, allow: [post, path, alone, item, peeked]}
              denied: {limit: 1/1h, deny: [post, path, alone, item]}
              off: {limit: 1/1h, mode: off}
              tiered: {limit: 1/1h, tiers: {pro: 5/1h}, tier-by: plan}
              one: {limit: 1/1h}
              both: {limits: [1/1h, 5/1d]}
            """);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String json(Step step, String key) {
    return "{\"policy\":\"%s\",\"key\":\"%s\"%s}".formatted(step.policy, key, step.more);
  }

  /** Without what differs from request to request: times and receipts. */
  private static String comparable(int status, String body) {
    return status
        + " "
        + body.replaceAll("(AfterMs|ttl)\":[1-9][0-9]*", "$1\":some")
            .replaceAll("\"receipt\":\"[^\"]+\"", "\"receipt\":some");
  }

  private static String comparable(HttpResponse<String> response) {
    return comparable(response.statusCode(), response.body());
  }

  @Test
  void byPathAsInABody() {
    for (Step step : STEPS) {
      HttpResponse<String> body = server.post("/v1/check", json(step, "post"));
      HttpResponse<String> path =
          step.query == null
              ? server.post("/v1/check", json(step, "path"))
              : server.get("/v1/check/" + step.policy + "/path" + step.query);
      assertThat(comparable(path)).as(step.toString()).isEqualTo(comparable(body));
      for (String field : new String[] {"ratelimit-policy", "content-type", "cache-control"}) {
        assertThat(path.headers().allValues(field)).isEqualTo(body.headers().allValues(field));
      }
      assertThat(path.headers().firstValue("retry-after").isPresent())
          .isEqualTo(body.headers().firstValue("retry-after").isPresent());
    }
  }

  @Test
  void inABatchAsAlone() {
    List<String> alone = new ArrayList<>();
    List<String> items = new ArrayList<>();
    for (Step step : STEPS) {
      alone.add(comparable(server.post("/v1/check", json(step, "alone"))));
      items.add(json(step, "item"));
    }
    HttpResponse<String> batch =
        server.post("/v1/check:batch", "{\"requests\":[" + String.join(",", items) + "]}");
    JsonArray results = new JsonObject(batch.body()).getJsonArray("results");
    assertThat(results).hasSameSizeAs(STEPS);
    for (int i = 0; i < results.size(); i++) {
      JsonObject result = results.getJsonObject(i);
      int status = result.getInteger("status");
      if (!result.containsKey("type")) {
        result.remove("status"); // a problem has it in its body too
      }
      assertThat(comparable(status, result.encode()))
          .as(STEPS.get(i).toString())
          .isEqualTo(alone.get(i));
    }
  }

  @Test
  void aPeekAsACheckOfNothing() {
    for (String spend : new String[] {"?permits=0", "?permits=1", "?permits=1"}) {
      for (String policy : new String[] {"two", "shadow", "allowed", "off"}) {
        server.get("/v1/check/" + policy + "/peeked" + spend);
        Step step = new Step(policy, ",\"permits\":0", "");
        String peeked = server.post("/v1/peek", json(new Step(policy, "", ""), "peeked")).body();
        String checked = server.post("/v1/check", json(step, "peeked")).body();
        assertThat(comparable(200, peeked)).as(policy).isEqualTo(comparable(200, checked));
      }
    }
  }

  private static long retrySeconds(HttpResponse<String> denied) {
    assertThat(denied.statusCode()).isEqualTo(429);
    return Long.parseLong(denied.headers().firstValue("retry-after").orElseThrow());
  }

  /** The milliseconds of the body, rounded up. */
  private static long bodySeconds(HttpResponse<String> denied) {
    Matcher matcher = RETRY_AFTER_MS.matcher(denied.body());
    assertThat(matcher.find()).as(denied.body()).isTrue();
    return (Long.parseLong(matcher.group(1)) + 999) / 1_000;
  }

  @Test
  void retryAfterIsTheTimeInTheBodyRoundedUp() {
    for (String policy : new String[] {"one", "both"}) {
      String ask = json(new Step(policy, "", ""), "retry");
      server.post("/v1/check", ask);
      HttpResponse<String> body = server.post("/v1/check", ask);
      assertThat(retrySeconds(body)).isEqualTo(bodySeconds(body));
      HttpResponse<String> path = server.get("/v1/check/" + policy + "/retry");
      assertThat(retrySeconds(path)).isEqualTo(bodySeconds(path));
    }
  }

  @Test
  void proxiesAreToldTheSameTimeToRetry() {
    for (String policies : new String[] {"one", "both", "one,both"}) {
      String ask = json(new Step(policies.replace("one,", ""), "", ""), "ip:127.0.0.1");
      server.post("/v1/check", ask);
      long before = bodySeconds(server.post("/v1/check", ask));
      HttpResponse<String> denied = server.get("/v1/forward-auth/" + policies);
      long after = bodySeconds(server.post("/v1/check", ask));
      assertThat(retrySeconds(denied)).as(policies).isBetween(after, before);
      assertThat(denied.body()).contains("Try again in " + retrySeconds(denied) + " seconds.");
    }
  }
}
