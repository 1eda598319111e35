package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Policy;
import dev.sash.memory.InMemoryStore;
import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls to a real nginx that limits them, and says {@code Retry-After: 1}. */
@Timeout(120)
class NginxIT {
  /** nginx counts in milliseconds, and reads its clock once per turn of its event loop. */
  private static final double TOLERANCE = 0.02;

  @TempDir Path folder;
  private final HttpClient plain = HttpClient.newHttpClient();
  private final InMemoryStore store = InMemoryStore.builder().build();

  @Test
  void afterA429NoCallIsMadeBeforeTheTimeThatNginxNames() throws Exception {
    try (Nginx nginx = Nginx.start(folder, "2r/s")) {
      HttpClient client =
          OutgoingLimiter.builder(store)
              .maxWait(Duration.ofSeconds(5))
              .build()
              .limiting(HttpClient.newHttpClient());
      for (int i = 0; i < 6; i++) {
        assertThat(get(client, nginx.uri()).statusCode()).isIn(200, 429);
      }
      assertPausesAreKept(nginx.served(6));
    }
  }

  @Test
  void whoMayNotWaitFailsWithoutACall() throws Exception {
    try (Nginx nginx = Nginx.start(folder, "2r/s")) {
      HttpClient client =
          OutgoingLimiter.builder(store).maxWait(Duration.ZERO).build().limiting(plain);
      int calls = 1;
      while (get(client, nginx.uri()).statusCode() == 200) {
        calls++;
      }
      assertThatThrownBy(() -> get(client, nginx.uri()))
          .isInstanceOfSatisfying(
              OutgoingLimitException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(OutgoingLimitException.Reason.PAUSE);
                assertThat(e.retryAfter()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(1));
              });
      assertThat(nginx.served(calls)).hasSize(calls);
    }
  }

  @Test
  void aLimitBelowThatOfNginxAvoidsAll429() throws Exception {
    try (Nginx nginx = Nginx.start(folder, "10r/s")) {
      assertThat(allAtOnce(plain, nginx.uri())).contains(429);
      Thread.sleep(200); // nginx forgets
      HttpClient client =
          OutgoingLimiter.builder(store)
              .policy(Policy.named("nginx").withLimits("1/400ms"))
              .maxWait(Duration.ofSeconds(10))
              .build()
              .limiting(plain);

      assertThat(allAtOnce(client, nginx.uri())).hasSize(8).containsOnly(200);
    }
  }

  @Test
  void aFleetKeepsToAPauseThatOneOfItLearned() throws Exception {
    try (Nginx nginx = Nginx.start(folder, "2r/s");
        RedisServer redis = RedisServer.start();
        RedisStore one = RedisStore.connect(redis.uri());
        RedisStore other = RedisStore.connect(redis.uri())) {
      HttpClient here = limiting(one);
      HttpClient there = limiting(other);
      for (int i = 0; i < 3; i++) {
        assertThat(get(here, nginx.uri()).statusCode()).isIn(200, 429);
        assertThat(get(there, nginx.uri()).statusCode()).isIn(200, 429);
        Thread.sleep(300); // the pause is shared in the background
      }
      assertPausesAreKept(nginx.served(6));
    }
  }

  private static HttpClient limiting(RedisStore store) {
    return OutgoingLimiter.builder(store)
        .maxWait(Duration.ofSeconds(5))
        .build()
        .limiting(HttpClient.newHttpClient());
  }

  private static void assertPausesAreKept(List<Nginx.Served> served) {
    for (int i = 1; i < served.size(); i++) {
      if (served.get(i - 1).status() == 429) {
        assertThat(served.get(i).status()).as("%s", served).isEqualTo(200);
        assertThat(served.get(i).seconds() - served.get(i - 1).seconds())
            .as("%s", served)
            .isGreaterThan(1 - TOLERANCE);
      }
    }
    assertThat(served).extracting(Nginx.Served::status).contains(429);
  }

  private static List<Integer> allAtOnce(HttpClient client, URI uri) {
    return IntStream.range(0, 8)
        .mapToObj(i -> client.sendAsync(request(uri), BodyHandlers.ofString()))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .map(HttpResponse::statusCode)
        .toList();
  }

  private static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
    return client.send(request(uri), BodyHandlers.ofString());
  }

  private static HttpRequest request(URI uri) {
    return HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1).build();
  }
}
