package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several servers on one Redis have the same overrides. */
@Timeout(180)
class OverridesRedisIT {
  private static final String YAML = "policies: {api: {limit: 1000/1h, on-failure: open}}";

  private static TestServer server(RedisServer redis) {
    return TestServer.start(YAML, options -> options.withRedis(List.of(redis.uri())));
  }

  private static HttpResponse<String> block(TestServer server, String key) {
    String body =
        "{\"key\":\"%s\",\"effect\":\"block\",\"reason\":\"test\",\"author\":\"ann\"}"
            .formatted(key);
    return TestServer.send(server.request("/v1/overrides/api").PUT(BodyPublishers.ofString(body)));
  }

  private static boolean isBlocked(TestServer server, String key) {
    return server.get("/v1/check/api/" + key).body().contains("\"reason\":\"blocked\"");
  }

  private static int listed(TestServer server) {
    return new JsonObject(server.get("/v1/overrides").body()).getJsonArray("overrides").size();
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
    }
  }

  @Test
  void whatOneServerSetsTheOthersFollowAndOneThatStartsLaterKnows() {
    try (RedisServer redis = RedisServer.start();
        TestServer first = server(redis);
        TestServer second = server(redis)) {
      assertThat(block(first, "ann").body()).startsWith("{\"kept\":\"redis\",");
      assertThat(isBlocked(first, "ann")).isTrue();
      await("the second server follows", () -> isBlocked(second, "ann"));
      try (TestServer third = server(redis)) {
        assertThat(isBlocked(third, "ann")).isTrue();
        assertThat(third.get("/v1/audit").body()).contains("\"action\":\"set\"");
      }
      assertThat(
              TestServer.send(
                      second
                          .request("/v1/overrides/api")
                          .method(
                              "DELETE",
                              BodyPublishers.ofString("{\"key\":\"ann\",\"author\":\"bob\"}")))
                  .statusCode())
          .isEqualTo(200);
      await("the first server follows", () -> !isBlocked(first, "ann"));
    }
  }

  @Test
  void theLastKnownStayInForceWhileRedisIsAwayAndAreRestoredIfItForgot() {
    try (RedisServer redis = RedisServer.start();
        TestServer first = server(redis);
        TestServer second = server(redis)) {
      block(first, "ann");
      await("the second server follows", () -> isBlocked(second, "ann"));
      redis.kill();
      assertThat(block(first, "bob").statusCode()).isEqualTo(503);
      for (TestServer server : List.of(first, second)) {
        String bob = "/v1/check/api/bob";
        await("Redis is away", () -> server.get(bob).body().contains("failure-rule"));
        assertThat(isBlocked(server, "ann")).isTrue();
        assertThat(isBlocked(server, "bob")).isFalse();
      }
      redis.restart(); // without its data
      await(
          "overrides are restored",
          () -> redis.command("GET", "sash:v2:{_document:overrides}:version") != null);
      try (TestServer third = server(redis)) {
        assertThat(isBlocked(third, "ann")).isTrue();
      }
      await("overrides can be set again", () -> block(first, "bob").statusCode() == 200);
      await("the second server follows again", () -> isBlocked(second, "bob"));
    }
  }

  @Test
  void aDocumentThatCannotBeReadChangesNothingUntilItIsDeleted() {
    try (RedisServer redis = RedisServer.start();
        TestServer server = server(redis);
        TestServer second = server(redis)) {
      block(server, "ann");
      await("the other server follows", () -> isBlocked(second, "ann"));
      String name = "sash:v2:{_document:overrides}:";
      redis.command("SET", name + "content", "other\n{\"format\":99}");
      redis.command("SET", name + "version", "other");
      await("the server has seen it", () -> block(server, "bob").statusCode() == 503);
      assertThat(isBlocked(server, "ann")).isTrue();
      assertThat(isBlocked(server, "bob")).isFalse();
      await("the other server has seen it", () -> block(second, "bob").statusCode() == 503);
      assertThat(redis.command("GET", name + "version")).isEqualTo("other");

      redis.command("DEL", name + "version", name + "content");
      await("overrides can be set again", () -> block(server, "bob").statusCode() == 200);
      await("the other server follows", () -> isBlocked(second, "bob"));
      assertThat(isBlocked(second, "ann")).isTrue();
    }
  }

  @RepeatedTest(20)
  void ofManyOperatorsOnSeveralServersNobodyLosesAnything() throws Exception {
    ExecutorService crowd = Executors.newFixedThreadPool(6);
    try (RedisServer redis = RedisServer.start();
        TestServer first = server(redis);
        TestServer second = server(redis)) {
      List<Callable<Integer>> operators = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        TestServer server = i % 2 == 0 ? first : second;
        String key = "key-" + i;
        operators.add(() -> block(server, key).statusCode());
      }
      for (Future<Integer> status : crowd.invokeAll(operators)) {
        assertThat(status.get()).isEqualTo(200);
      }
      await("both have all", () -> listed(first) == 30 && listed(second) == 30);
    } finally {
      crowd.shutdownNow();
    }
  }
}
