package dev.sash.examples.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example, as somebody who tries it out sees it. */
class QuoteServerIT {
  private final HttpClient client = HttpClient.newHttpClient();
  private Server server;
  private URI quotes;

  @BeforeEach
  void start() throws Exception {
    server = QuoteServer.start(0);
    quotes = server.getURI().resolve("/quotes");
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  @Test
  void tenMayBeReadAndTheNextIsTooMuch() throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      statuses.add(read().statusCode());
    }
    HttpResponse<String> denied = read();

    assertThat(statuses).containsOnly(200);
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 10L);
    assertThat(denied.headers().firstValue("RateLimit-Policy")).hasValue("\"read\";q=10;w=10");
  }

  @Test
  void addingHasALimitOfItsOwn() throws Exception {
    for (int i = 1; i <= 3; i++) {
      assertThat(add("Quote " + i).statusCode()).isEqualTo(201);
    }

    assertThat(add("One too many").statusCode()).isEqualTo(429);
    assertThat(read().statusCode()).isEqualTo(200);
  }

  @Test
  void anEmptyQuoteIsRefusedByTheApplication() throws Exception {
    HttpResponse<String> refused = add("");

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.headers().firstValue("RateLimit")).isPresent();
  }

  private HttpResponse<String> read() throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(quotes).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> add(String quote) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(quotes).POST(BodyPublishers.ofString(quote)).build(),
        BodyHandlers.ofString());
  }
}
