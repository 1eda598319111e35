package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real proxy with the configuration that docs/server.md shows, in front of an application. It
 * lets exactly the limit through, whatever the client sends.
 */
abstract class ForwardAuthProxyContract {
  static final int LIMIT = 5;
  private static final Path PAGE = Path.of("..", "docs", "server.md");

  @TempDir Path folder;

  /** Returns the name of the proxy in {@code forwarded-by}. */
  abstract String proxy();

  /** Starts the proxy; skips the test if it is not installed. */
  abstract ProxyProcess start(int sashPort, int applicationPort) throws Exception;

  /** Returns the first block of docs/server.md in a language, with its ports replaced. */
  static String block(String language, int sashPort, int applicationPort) throws IOException {
    String page = Files.readString(PAGE);
    String fence = "```" + language + "\n";
    int start = page.indexOf(fence) + fence.length();
    String block = page.substring(start, page.indexOf("```", start));
    assertThat(block).contains("127.0.0.1:8080").contains("127.0.0.1:3000");
    return block
        .replace("127.0.0.1:8080", "127.0.0.1:" + sashPort)
        .replace("127.0.0.1:3000", "127.0.0.1:" + applicationPort);
  }

  private TestServer server(String policy) {
    return TestServer.start(
        "policies: {web: {limit: %d/1h, %s}}\nforwarded-by: %s\ntrusted-proxies: [127.0.0.1]"
            .formatted(LIMIT, policy, proxy()));
  }

  @Test
  void letsExactlyTheLimitThrough() throws Exception {
    try (TestServer server = server("key: ip");
        Application application = new Application();
        ProxyProcess proxy = start(server.port(), application.port())) {
      HttpClient client = HttpClient.newHttpClient();
      URI uri = URI.create("http://127.0.0.1:" + proxy.port() + "/shop/items?permits=0");
      for (int i = 1; i <= LIMIT; i++) {
        HttpResponse<String> response = get(client, uri);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("welcome");
        assertAdmitted(response, LIMIT - i);
      }
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> denied = get(client, uri);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After").map(Integer::valueOf).orElse(0))
            .isBetween(3500, 3600);
      }
      assertThat(application.requests()).isEqualTo(LIMIT);
    }
  }

  /** What the client sees of an admitted request, as far as the proxy passes it on. */
  void assertAdmitted(HttpResponse<String> response, int remaining) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: ip",
        "key: method",
        "key: host",
        "key: path",
        "key: [ip, path]",
        "key: [method, host, path]",
        "key: 'query:tab'",
        "key: 'header:x-user'",
        "key: 'cookie:sid'",
        "key: apikey",
        "key: 'apikey:authorization'",
        "mode: enforce",
        "key: ip, cost: {attribute: 'header:x-size'}"
      })
  void noHeaderFieldGetsAClientPastTheLimit(String policy) throws Exception {
    long seed = Long.getLong("sash.seed", ThreadLocalRandom.current().nextLong());
    try (TestServer server = server(policy);
        Application application = new Application();
        ProxyProcess proxy = start(server.port(), application.port())) {
      int passed = new HostileClient(proxy.port(), seed).passed(20);

      assertThat(passed).as("passed, seed %d", seed).isEqualTo(LIMIT);
      assertThat(application.requests()).isEqualTo(LIMIT);
    }
  }

  static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
        BodyHandlers.ofString());
  }
}
