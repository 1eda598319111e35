package dev.sash.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GeneratorTest {
  private static final Duration WHILE = Duration.ofMillis(100);

  private final AtomicLong asked = new AtomicLong();
  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile long permits = Long.MAX_VALUE;
  private HttpServer server;
  private Generator generator;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/api/products/",
        exchange -> {
          keys.add(exchange.getRequestHeaders().getFirst("X-Api-Key"));
          byte[] body = {'{', '}'};
          exchange.sendResponseHeaders(asked.incrementAndGet() <= permits ? 200 : 429, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    generator = new Generator(server.getAddress().getPort());
  }

  @AfterEach
  void stop() throws IOException {
    generator.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void countsEveryAnswerOfAFlood() throws IOException {
    long answered = generator.flood(WHILE);
    assertThat(answered).isEqualTo(asked.get()).isGreaterThanOrEqualTo(Generator.CONNECTIONS);
  }

  @Test
  void asksAtItsPaceAndForManyKeys() throws IOException {
    long timed = generator.pace(500, WHILE).getTotalCount();
    assertThat(timed).isEqualTo(50).isEqualTo(asked.get());
    assertThat(keys).hasSizeGreaterThan(10);
  }

  @Test
  void tellsHowManyWereAllowedForOneKey() throws IOException {
    permits = 30;
    assertThat(generator.spend("proof", 50)).isEqualTo(30);
    assertThat(keys).containsExactly("proof");
  }

  @Test
  void toleratesNoDenialWhileItMeasures() {
    permits = 20;
    assertThatIllegalStateException()
        .isThrownBy(() -> generator.flood(Duration.ofSeconds(60)))
        .withMessage("status 200 was expected, was 429");
  }
}
