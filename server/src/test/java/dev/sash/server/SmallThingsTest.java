package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sash.server.http.HttpOptions;
import dev.sash.server.resp.RespOptions;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users try first, and what they expect then. */
class SmallThingsTest {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start("policies: {api: {limit: 9/1h}}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void theRootSaysWhatThereIs() {
    HttpResponse<String> index = server.get("/");
    assertThat(index.statusCode()).isEqualTo(200);
    assertThat(index.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
    assertThat(index.body()).contains("POST /v1/check").contains("/openapi.yaml");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/healthz", "/ping", "/ready"})
  void otherNamesOfHealthAreAnsweredWithTheRightOnes(String path) {
    HttpResponse<String> response = server.get(path);
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("/livez").contains("/readyz");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/metrics", "/openapi.json", "/openapi.yaml", "/v1/policies", "/livez"})
  void whatCanBeReadCanBeAskedForItsHead(String path) {
    HttpResponse<String> head =
        TestServer.send(server.request(path).method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void aCompressedBodyIsRefusedAsSuch() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"policy\":\"api\",\"key\":\"a\"}".getBytes(StandardCharsets.UTF_8));
    }
    HttpResponse<String> refused =
        TestServer.send(
            server
                .request("/v1/check")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(packed.toByteArray())));
    assertThat(refused.statusCode()).isEqualTo(415);
    assertThat(refused.headers().firstValue("accept-encoding")).contains("identity");
    assertThat(refused.body()).contains("body must not be compressed");
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    ServerOptions http = ServerOptions.of(HttpOptions.at("127.0.0.1", server.port()));
    assertThatIllegalStateException()
        .isThrownBy(() -> SashServer.start(http))
        .withMessageStartingWith(
            "cannot listen for HTTP on 127.0.0.1, port " + server.port() + ": ");
    ServerOptions resp =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0))
            .withResp(RespOptions.builder().port(server.port()).build());
    assertThatIllegalStateException()
        .isThrownBy(() -> SashServer.start(resp))
        .withMessageStartingWith(
            "cannot listen for RESP on 127.0.0.1, port " + server.port() + ": ");
  }
}
