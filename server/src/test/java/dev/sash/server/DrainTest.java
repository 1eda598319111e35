package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DrainTest {
  @Test
  void saysNoToReadinessBeforeItStops() {
    TestServer server =
        TestServer.start(
            "policies: {one: {limit: 1/1h}}",
            options -> options.withDrainDelay(Duration.ofSeconds(2)));
    CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
    HttpResponse<String> readiness = server.get("/readyz");
    while (readiness.statusCode() == 200) {
      readiness = server.get("/readyz");
    }
    assertThat(readiness.statusCode()).isEqualTo(503);
    assertThat(readiness.body()).contains("\"ready\":false");
    // Whoever has not noticed yet is still served.
    assertThat(server.get("/v1/check/one/ann").statusCode()).isEqualTo(200);
    assertThat(server.get("/livez").statusCode()).isEqualTo(200);
    closing.join();
  }
}
