package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DriverTest {
  private final AtomicInteger asked = new AtomicInteger();
  private final Set<String> queries = ConcurrentHashMap.newKeySet();
  private volatile int status = 200;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          queries.add(exchange.getRequestURI().getQuery());
          byte[] body = "x".repeat(3_000).getBytes(UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Driver driver() throws IOException {
    return new Driver(
        3,
        () -> new HttpExchange(server.getAddress().getPort()),
        Requests.forKeys(2, key -> Requests.get("/?key=" + key)));
  }

  @Test
  void asksAsFastAsItIsAnsweredAndCountsEveryAnswer() throws IOException {
    long begin = System.nanoTime();
    double perSecond;
    try (Driver driver = driver()) {
      perSecond = driver.flood(Duration.ofMillis(300));
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat(asked.get()).isGreaterThan(3);
    assertThat(perSecond).isGreaterThanOrEqualTo(asked.get() / seconds);
    assertThat(queries).containsExactlyInAnyOrder("key=0", "key=1");
  }

  @Test
  void asksAtTheRateGivenAndTimesEveryAnswer() throws IOException {
    try (Driver driver = driver()) {
      assertThat(driver.pace(100, Duration.ofMillis(200)).getTotalCount()).isEqualTo(20);
    }
    assertThat(asked).hasValue(20);
  }

  @Test
  void aDenialIsAnAnswerAndAnErrorIsNone() throws IOException {
    try (Driver driver = driver()) {
      status = 429;
      assertThat(driver.pace(100, Duration.ofMillis(50)).getTotalCount()).isEqualTo(5);
      status = 500;
      assertThatThrownBy(() -> driver.flood(Duration.ofMillis(50)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("status 200 or 429 was expected");
    }
  }
}
