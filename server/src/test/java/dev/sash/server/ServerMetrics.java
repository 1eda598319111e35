package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server reports at {@code /metrics}, read over one connection. */
final class ServerMetrics {
  static final String INPUT = "sash_server_input_bytes";

  private final HttpClient client;
  private final URI page;

  /**
   * Creates a reader.
   *
   * @param server such as {@code https://localhost:8080}
   */
  ServerMetrics(HttpClient client, String server) {
    this.client = client;
    this.page = URI.create(server + "/metrics");
  }

  /** The name of the gauge of open connections. */
  static String connections(String protocol) {
    return "sash_server_connections{protocol=\"" + protocol + "\"}";
  }

  /** The name of the gauge of requests under way. */
  static String waiting(String protocol) {
    return "sash_server_requests_waiting{protocol=\"" + protocol + "\"}";
  }

  /** The name of the counter of refused connections. */
  static String refused(String protocol) {
    return "sash_server_connections_refused_total{protocol=\"" + protocol + "\"}";
  }

  double get(String name) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(30)).build();
    String text = client.send(request, BodyHandlers.ofString()).body();
    Matcher matcher =
        Pattern.compile("^" + Pattern.quote(name) + " (\\S+)$", Pattern.MULTILINE).matcher(text);
    assertThat(matcher.find()).as("%s in %s", name, text).isTrue();
    return Double.parseDouble(matcher.group(1));
  }

  /** Returns when a metric has a value; the time limit of the test ends the wait. */
  void await(String name, double value) throws Exception {
    while (get(name) != value) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
