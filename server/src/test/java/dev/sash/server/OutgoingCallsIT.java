package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.client.OutgoingLimiter;
import dev.sash.memory.InMemoryStore;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sash-client} understands the responses of this service. */
@Timeout(60)
class OutgoingCallsIT {
  private final HttpClient plain = HttpClient.newHttpClient();
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start("policies: {api: {limit: 3/1s}}");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void withoutALimiterCallsAreDenied() throws Exception {
    assertThat(statuses(plain)).containsOnly(200, 429);
  }

  @Test
  void noCallIsMadeBeforeTheTimeThatTheServiceNames() throws Exception {
    HttpClient limited =
        OutgoingLimiter.builder(InMemoryStore.builder().build())
            .maxWait(Duration.ofSeconds(10))
            .build()
            .limiting(plain);
    long start = System.nanoTime();

    assertThat(statuses(limited)).containsOnly(200);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
  }

  private List<Integer> statuses(HttpClient client) throws Exception {
    List<Integer> statuses = new ArrayList<>();
    HttpRequest request =
        server
            .request("/v1/check")
            .POST(BodyPublishers.ofString("{\"policy\":\"api\",\"key\":\"a\"}"))
            .build();
    for (int i = 0; i < 7; i++) {
      statuses.add(client.send(request, BodyHandlers.discarding()).statusCode());
    }
    return statuses;
  }
}
