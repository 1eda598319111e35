package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.config.ConfigurationException;
import dev.sash.server.http.HttpOptions;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StartAndStopTest {
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
    // A client that has not noticed yet is still served.
    assertThat(server.get("/v1/check/one/ann").statusCode()).isEqualTo(200);
    assertThat(server.get("/livez").statusCode()).isEqualTo(200);
    closing.join();
  }

  @Test
  void saysWhyItDoesNotStart() {
    try (TestServer server = TestServer.start("policies: {one: {limit: 1/1h}}")) {
      ServerOptions taken = ServerOptions.of(HttpOptions.at("127.0.0.1", server.port()));
      assertThatThrownBy(() -> SashServer.start(taken))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("in use");
    }
    ServerOptions options = ServerOptions.of(HttpOptions.at("127.0.0.1", 0));
    assertThatThrownBy(() -> SashServer.start(options.withRedis(List.of("localhost"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("uri must be redis://");
    assertThatThrownBy(() -> SashServer.start(options.withConfiguration(Path.of("no.yaml"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("no.yaml");
    assertThatThrownBy(() -> HttpOptions.at("127.0.0.1", 65_536))
        .hasMessage("port must be between 0 and 65535, was 65536");
  }
}
