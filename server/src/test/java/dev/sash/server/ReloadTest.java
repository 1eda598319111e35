package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ReloadTest {
  private static final String ASK = "{\"policy\":\"one\",\"key\":\"ann\"}";

  @Test
  void aGoodFileTakesEffectWithoutLosingCountsAndABadOneIsRefused() throws Exception {
    try (TestServer server = TestServer.start("policies: {one: {limit: 2/1h}}")) {
      server.post("/v1/check", ASK);
      server.post("/v1/check", ASK);
      assertThat(server.post("/v1/check", ASK).statusCode()).isEqualTo(429);

      server.write("policies: {one: {limit: 3/1h}, two: {limit: 1/s}}");
      HttpResponse<String> applied = server.post("/v1/reload", "");
      assertThat(applied.statusCode()).isEqualTo(200);
      assertThat(applied.body()).endsWith("\"current\":true}");
      assertThat(server.post("/v1/check", ASK).body()).contains("\"used\":3,");
      assertThat(server.post("/v1/check", ASK).statusCode()).isEqualTo(429);

      server.write("policies: {one: {limit: lots}}");
      HttpResponse<String> refused = server.post("/v1/reload", "");
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(refused.body()).contains(".yaml:1:").contains("lots");
      assertThat(server.get("/v1/config").body())
          .contains("\"current\":false,\"refusal\":\"")
          .contains("lots");
      assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(server.get("/readyz").body()).contains("\"configurationCurrent\":false");
      assertThat(server.get("/metrics").body())
          .contains("sash_server_config_current 0.0")
          .contains("sash_server_config_reloads_total{outcome=\"applied\"} 1.0")
          .contains("sash_server_config_reloads_total{outcome=\"refused\"} 1.0");
      assertThat(server.post("/v1/check", ASK).body()).contains("\"limit\":3,");

      server.write("policies: {one: {limit: 4/1h}}");
      assertThat(server.post("/v1/reload", "").statusCode()).isEqualTo(200);
      assertThat(server.get("/v1/config").body()).endsWith("\"current\":true}");
    }
  }

  @Test
  void reloadsUnderLoadLoseNoDecision() throws Exception {
    int threads = 4;
    int limit = 1_000;
    String yaml = "policies: {one: {limit: %d/1h}%s}";
    try (TestServer server = TestServer.start(yaml.formatted(limit, ""))) {
      ExecutorService crowd = Executors.newFixedThreadPool(threads);
      AtomicBoolean over = new AtomicBoolean();
      CountDownLatch started = new CountDownLatch(threads);
      List<Future<Integer>> admitted = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        admitted.add(
            crowd.submit(
                () -> {
                  int count = 0;
                  started.countDown();
                  while (!over.get()) {
                    int status = server.post("/v1/check", ASK).statusCode();
                    assertThat(status).isIn(200, 429);
                    count += status == 200 ? 1 : 0;
                    if (status == 429) {
                      over.set(true);
                    }
                  }
                  return count;
                }));
      }
      started.await();
      for (int i = 0; !over.get(); i++) {
        server.write(yaml.formatted(limit, ", other" + i + ": {limit: 1/s}"));
        server.server().reload();
      }
      int sum = 0;
      for (Future<Integer> count : admitted) {
        sum += count.get();
      }
      crowd.shutdown();
      assertThat(sum).isEqualTo(limit);
    }
  }
}
