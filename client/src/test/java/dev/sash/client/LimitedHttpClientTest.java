package dev.sash.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sash.Policy;
import dev.sash.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LimitedHttpClientTest {
  private final ManualClock clock = new ManualClock();
  private final WaitCountingStore store = new WaitCountingStore(clock);
  private final AtomicInteger handled = new AtomicInteger();
  private final HttpClient plain =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.ALWAYS)
          .connectTimeout(Duration.ofSeconds(7))
          .build();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::respond);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** Redirects {@code /moved}, and limits {@code /limited}. */
  private void respond(HttpExchange exchange) throws IOException {
    handled.incrementAndGet();
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/moved")) {
      exchange.getResponseHeaders().set("Location", "/");
      exchange.getResponseHeaders().set("RateLimit", "\"x\";r=0;t=9");
    }
    if (path.equals("/limited")) {
      exchange.getResponseHeaders().set("retry-after", "5");
    }
    exchange.sendResponseHeaders(
        path.equals("/moved") ? 302 : path.equals("/limited") ? 429 : 200, -1);
    exchange.close();
  }

  @Test
  void aCallThatMayNotWaitIsNotSent() throws Exception {
    HttpClient client = client("1/1s", Duration.ZERO);
    assertThat(client.send(request("/"), BodyHandlers.discarding()).statusCode()).isEqualTo(200);

    assertThatThrownBy(() -> client.send(request("/"), BodyHandlers.discarding()))
        .isInstanceOf(OutgoingLimitException.class);
    assertThat(client.sendAsync(request("/"), BodyHandlers.discarding()))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(OutgoingLimitException.class);
    assertThat(handled).hasValue(1);
  }

  @Test
  void anAsynchronousCallWaitsWithoutAThreadAndCancellingItWithdrawsIt() throws Exception {
    HttpClient client = client("1/1s", Duration.ofMinutes(1));
    client.sendAsync(request("/"), BodyHandlers.discarding()).get(30, SECONDS);
    CompletableFuture<HttpResponse<Void>> cancelled =
        client.sendAsync(request("/"), BodyHandlers.discarding());
    CompletableFuture<HttpResponse<Void>> next =
        client.sendAsync(request("/"), BodyHandlers.discarding(), null);
    cancelled.cancel(true);
    assertThat(next).isNotDone();
    clock.advance(Duration.ofSeconds(1));

    assertThat(next.get(30, SECONDS).statusCode()).isEqualTo(200);
    assertThat(handled).hasValue(2);
    assertThat(store.spent()).isEqualTo(2);
  }

  @Test
  void itLearnsFromAResponseAndFromTheRedirectsThatLedToIt() throws Exception {
    HttpClient client = client("100/1s", Duration.ZERO);
    HttpResponse<Void> response =
        client.sendAsync(request("/limited"), BodyHandlers.discarding()).get(30, SECONDS);
    assertThat(response.statusCode()).isEqualTo(429);
    assertPausedFor(client, Duration.ofSeconds(5));

    clock.advance(Duration.ofSeconds(6));
    assertThat(client.send(request("/moved"), BodyHandlers.discarding()).statusCode())
        .isEqualTo(200);
    assertPausedFor(client, Duration.ofSeconds(9));
  }

  private void assertPausedFor(HttpClient client, Duration pause) {
    assertThatThrownBy(() -> client.send(request("/"), BodyHandlers.discarding()))
        .isInstanceOfSatisfying(
            OutgoingLimitException.class, e -> assertThat(e.retryAfter()).isEqualTo(pause));
  }

  @Test
  void anExchangeThatFailsFailsTheCall() {
    HttpClient client = client("100/1s", Duration.ZERO);
    server.stop(0);

    assertThatThrownBy(() -> client.send(request("/"), BodyHandlers.discarding()))
        .isInstanceOf(IOException.class);
    assertThat(client.sendAsync(request("/"), BodyHandlers.discarding()))
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IOException.class);
  }

  @Test
  void everythingElseIsTheOtherClients() {
    HttpClient client = client("1/1s", Duration.ZERO);

    assertThat(client.followRedirects()).isEqualTo(HttpClient.Redirect.ALWAYS);
    assertThat(client.connectTimeout()).contains(Duration.ofSeconds(7));
    assertThat(client.sslContext()).isSameAs(plain.sslContext());
    assertThat(client.sslParameters()).isNotNull();
    assertThat(client.version()).isEqualTo(plain.version());
    assertThat(client.cookieHandler()).isEmpty();
    assertThat(client.proxy()).isEqualTo(plain.proxy());
    assertThat(client.authenticator()).isEmpty();
    assertThat(client.executor()).isEqualTo(plain.executor());
    assertThat(client.newWebSocketBuilder()).isNotNull();
  }

  private HttpClient client(String limit, Duration maxWait) {
    return OutgoingLimiter.builder(store)
        .policy(Policy.named("ours").withLimits(limit))
        .maxWait(maxWait)
        .build()
        .limiting(plain);
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
        .build();
  }
}
