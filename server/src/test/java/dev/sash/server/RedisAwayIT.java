package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RedisAwayIT {
  private static final int ANSWERS = 100;

  @Test
  void answersGoOnByThePolicysRuleWhenRedisIsKilledUnderLoad() throws Exception {
    String yaml =
        """
        policies:
          open: {limit: 1000000/1h, on-failure: open}
          closed: {limit: 1000000/1h, on-failure: closed}
          local: {limit: 1000000/1h, on-failure: local}
        """;
    try (RedisServer redis = RedisServer.start();
        TestServer server =
            TestServer.start(yaml, options -> options.withRedis(List.of(redis.uri())))) {
      ExecutorService crowd = Executors.newFixedThreadPool(3);
      Phaser underLoad = new Phaser(4);
      AtomicBoolean killed = new AtomicBoolean();
      List<Future<List<String>>> answers = new ArrayList<>();
      for (String policy : List.of("open", "closed", "local")) {
        answers.add(
            crowd.submit(
                () -> {
                  List<String> sources = new ArrayList<>();
                  for (int after = 0; after < ANSWERS; after += killed.get() ? 1 : 0) {
                    sources.add(source(server.get("/v1/check/" + policy + "/ann"), policy));
                    if (sources.size() == ANSWERS) {
                      underLoad.arrive();
                    }
                  }
                  return sources;
                }));
      }
      underLoad.arriveAndAwaitAdvance();
      redis.kill();
      killed.set(true);
      assertThat(answers.get(0).get()).startsWith("store").endsWith("failure-rule");
      assertThat(answers.get(1).get()).startsWith("store").endsWith("failure-rule");
      assertThat(answers.get(2).get()).startsWith("store").endsWith("local");
      crowd.shutdown();

      // Others have no other Redis: there is no use in sending requests elsewhere.
      assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(server.get("/readyz").body()).contains("\"storeUp\":false");
      assertThat(server.get("/metrics").body()).contains("sash_store_up{store=\"redis\"} 0.0");
      assertThat(server.post("/v1/reset", "{\"policy\":\"open\",\"key\":\"ann\"}").statusCode())
          .isEqualTo(503);
      assertThat(server.get("/v1/explain?policy=open&key=ann").statusCode()).isEqualTo(503);
    }
  }

  private static String source(HttpResponse<String> response, String policy) {
    String source = response.body().replaceAll(".*\"source\":\"|\".*", "");
    boolean denied = policy.equals("closed") && !source.equals("store");
    assertThat(response.statusCode()).isEqualTo(denied ? 429 : 200);
    return source;
  }

  @Test
  void whatIsUnderWayIsAnsweredWhenTheServerStops() {
    String yaml = "policies: {one: {limit: 9/1h, deadline: 2s, on-failure: open}}";
    try (RedisServer redis = RedisServer.start()) {
      TestServer server =
          TestServer.start(yaml, options -> options.withRedis(List.of(redis.uri())));
      assertThat(server.get("/v1/check/one/ann").body()).contains("\"source\":\"store\"");
      redis.pause();
      CompletableFuture<HttpResponse<String>> underWay =
          CompletableFuture.supplyAsync(() -> server.get("/v1/check/one/ann"));
      // The metrics themselves are one that waits.
      String both = "sash_server_requests_waiting{protocol=\"http\"} 2.0";
      while (!underWay.isDone() && !server.get("/metrics").body().contains(both)) {
        Thread.onSpinWait();
      }
      assertThat(underWay).isNotDone();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      assertThat(underWay.join().statusCode()).isEqualTo(200);
      closed.join();
      redis.resume();
    }
  }
}
