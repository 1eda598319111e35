package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisCluster;
import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Several servers and one Redis are one limiter. */
class ManyServersIT {
  private static final int SERVERS = 3;
  private static final int LIMIT = 300;
  private static final String YAML =
      "policies: {shared: {limit: %d/1h, on-failure: closed, deadline: 10s}}".formatted(LIMIT);

  @Test
  void togetherTheyAdmitExactlyTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      admitExactlyTheLimit(List.of(redis.uri()));
    }
  }

  @Test
  void onAClusterToo() throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      admitExactlyTheLimit(
          cluster.uris().stream().map(uri -> uri.replace("redis://", "redis-cluster://")).toList());
    }
  }

  private static void admitExactlyTheLimit(List<String> redis) throws Exception {
    List<TestServer> servers = new ArrayList<>();
    ExecutorService crowd = Executors.newFixedThreadPool(2 * SERVERS);
    try {
      for (int i = 0; i < SERVERS; i++) {
        servers.add(TestServer.start(YAML, options -> options.withRedis(redis)));
      }
      for (String key : List.of("ann", "bob", "cleo")) {
        List<Callable<Integer>> callers = new ArrayList<>();
        for (int i = 0; i < 2 * SERVERS; i++) {
          TestServer server = servers.get(i % SERVERS);
          callers.add(() -> admitted(server, key));
        }
        int sum = 0;
        for (Future<Integer> admitted : crowd.invokeAll(callers)) {
          sum += admitted.get();
        }
        assertThat(sum).isEqualTo(LIMIT);
      }
      assertThat(servers.get(0).get("/readyz").body())
          .contains("\"store\":\"redis\",\"storeUp\":true");
      assertThat(servers.get(0).post("/v1/reset", ask("ann")).statusCode()).isEqualTo(204);
      assertThat(servers.get(1).post("/v1/peek", ask("ann")).body()).contains("\"used\":0,");
    } finally {
      crowd.shutdownNow();
      servers.forEach(TestServer::close);
    }
  }

  private static String ask(String key) {
    return "{\"policy\":\"shared\",\"key\":\"" + key + "\"}";
  }

  /** Half of them one by one, half in batches. */
  private static int admitted(TestServer server, String key) {
    int admitted = 0;
    for (int i = 0; i < LIMIT / 4; i++) {
      HttpResponse<String> one = server.post("/v1/check", ask(key));
      assertThat(one.statusCode()).isIn(200, 429);
      admitted += one.statusCode() == 200 ? 1 : 0;
      HttpResponse<String> two =
          server.post("/v1/check:batch", "{\"requests\":[" + ask(key) + "," + ask(key) + "]}");
      admitted += two.body().split("\"allowed\":true", -1).length - 1;
    }
    return admitted;
  }
}
