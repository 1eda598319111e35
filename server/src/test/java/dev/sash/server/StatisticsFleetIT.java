package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers on one Redis know each other's counts. */
@Timeout(120)
class StatisticsFleetIT {
  private static final String YAML =
      "policies: {one: {limit: 3/1h, deadline: 10s}, two: {limit: 9/1h, deadline: 10s}}";

  private static TestServer start(List<String> redis) {
    return TestServer.start(YAML, options -> options.withRedis(redis));
  }

  private static void ask(TestServer server, String policy, int times) {
    for (int i = 0; i < times; i++) {
      server.post("/v1/check", "{\"policy\":\"" + policy + "\",\"key\":\"secret-ann\"}");
    }
  }

  /** What is published every second arrives some time. */
  private static JsonObject await(TestServer server, Predicate<JsonObject> expected)
      throws InterruptedException {
    while (true) {
      JsonObject all = new JsonObject(server.get("/v1/statistics").body());
      if (expected.test(all)) {
        return all;
      }
      Thread.sleep(20);
    }
  }

  private static long hour(JsonObject counts, String measure) {
    return counts.getJsonObject(measure).getLong("hour");
  }

  private static long requests(JsonObject all) {
    JsonObject total = all.getJsonObject("total");
    return hour(total, "allowed") + hour(total, "denied");
  }

  @Test
  void eachCountsForAll() throws InterruptedException {
    try (RedisServer redis = RedisServer.start()) {
      countForAll(List.of(redis.uri()), redis);
    }
  }

  @Test
  void onAClusterToo() throws InterruptedException {
    try (RedisCluster cluster = RedisCluster.start()) {
      countForAll(
          cluster.uris().stream().map(uri -> uri.replace("redis://", "redis-cluster://")).toList(),
          null);
    }
  }

  private static void countForAll(List<String> redis, RedisServer single)
      throws InterruptedException {
    try (TestServer left = start(redis)) {
      try (TestServer right = start(redis)) {
        ask(left, "one", 4);
        ask(right, "one", 2);
        ask(right, "two", 5);
        for (TestServer server : List.of(left, right)) {
          JsonObject all = await(server, it -> it.getInteger("servers") == 2 && requests(it) == 11);
          assertThat(hour(all.getJsonObject("total"), "denied")).isEqualTo(3);
          assertThat(all.getInteger("policyCount")).isEqualTo(2);
          JsonObject one = all.getJsonArray("policies").getJsonObject(0);
          assertThat(one.getString("policy")).isEqualTo("one");
          assertThat(hour(one, "allowed")).isEqualTo(3);
          assertThat(hour(one, "denied")).isEqualTo(3);
        }
        if (single != null) {
          for (int place = 0; place < 64; place++) {
            Object published = single.command("GET", "sash:v2:shared:statistics-" + place);
            assertThat(String.valueOf(published)).doesNotContain("secret");
          }
        }
      }
      // A server that is gone is forgotten.
      await(left, it -> it.getInteger("servers") == 1 && requests(it) == 4);
    }
  }

  @Test
  void whileRedisIsAwayEachCountsForItself() throws InterruptedException {
    try (RedisServer redis = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(redis);
        TestServer left = start(List.of(proxy.uri()));
        TestServer right = start(List.of(redis.uri()))) {
      ask(left, "two", 1);
      ask(right, "two", 2);
      await(left, it -> requests(it) == 3);
      proxy.refuse();
      ask(left, "two", 1);
      JsonObject alone = await(left, it -> it.getInteger("servers") == 1);
      assertThat(requests(alone)).isEqualTo(2);
      proxy.pass();
      await(left, it -> it.getInteger("servers") == 2 && requests(it) == 4);
      await(right, it -> it.getInteger("servers") == 2 && requests(it) == 4);
    }
  }
}
