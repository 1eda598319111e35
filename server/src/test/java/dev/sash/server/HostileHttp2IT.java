package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.rls.RawHttp2;
import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that abuse HTTP/2, on the HTTP port over TLS and on the gRPC port: their connection ends
 * or is bounded, what they held is released, and others are answered meanwhile.
 */
@Timeout(120)
class HostileHttp2IT {
  private static final String CHECK = "/v1/check";
  private static final byte[] ASK = "{\"policy\":\"many\",\"key\":\"ann\"}".getBytes(UTF_8);
  private static final String INPUT = "sash_server_input_bytes";
  private static final String CONNECTIONS = "sash_server_connections{protocol=\"http\"}";
  private static final String RLS = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String INVALID_ARGUMENT = "3";
  private static final String RESOURCE_EXHAUSTED = "8";
  private static final int MAX_MESSAGE_BYTES = 64 << 10;
  private static final int MAX_CALLS = 1_000;
  private static final int WINDOW = (1 << 16) - 1;

  /** Less than the maximum of streams on a connection. */
  private static final int STREAMS = 90;

  private static final int PIECE = 500;

  @TempDir Path folder;
  private SelfSignedCertificate certificate;
  private TestServer server;
  private SSLContext context;
  private HttpClient other;

  @BeforeEach
  void createCertificate() throws Exception {
    certificate = SelfSignedCertificate.in(folder);
    context = TestTls.context(null, certificate);
    other = HttpClient.newBuilder().sslContext(context).build();
  }

  private void start(Duration requestTimeout, Duration idleTimeout) {
    server =
        TestServer.start(
            "policies: {many: {limit: 1000000000/1h sliding-counter}}",
            http ->
                http.withTls(new TlsFiles(certificate.certificate(), certificate.key()))
                    .withBounds(
                        HttpBounds.defaults()
                            .withRequestTimeout(requestTimeout)
                            .withIdleTimeout(idleTimeout)),
            options -> options.withGrpc(GrpcOptions.at("127.0.0.1", 0)));
  }

  private void start() {
    start(Duration.ofMinutes(5), Duration.ofMinutes(5));
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private RawHttp2 connect(String port) throws IOException {
    return port.equals("grpc") ? new RawHttp2(server.server().grpcPort()) : connect();
  }

  /** Connects to the HTTP port. */
  private RawHttp2 connect() throws IOException {
    SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    return new RawHttp2(socket, WINDOW);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
        .timeout(Duration.ofSeconds(30));
  }

  /** The status of a question that another client asks. */
  private int askAsAnother() throws Exception {
    HttpRequest ask = request(CHECK).POST(BodyPublishers.ofByteArray(ASK)).build();
    return other.send(ask, BodyHandlers.ofString()).statusCode();
  }

  private double metric(String name) throws Exception {
    String page = other.send(request("/metrics").build(), BodyHandlers.ofString()).body();
    Matcher matcher =
        Pattern.compile("^" + Pattern.quote(name) + " (\\S+)$", Pattern.MULTILINE).matcher(page);
    assertThat(matcher.find()).as("%s in %s", name, page).isTrue();
    return Double.parseDouble(matcher.group(1));
  }

  /** Returns when a metric has a value; the time limit of the test ends the wait. */
  private void awaitMetric(String name, double value) throws Exception {
    while (metric(name) != value) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @ParameterizedTest
  @CsvSource({"http, 0", "http, 1", "http, 16384", "grpc, 0", "grpc, 1", "grpc, 16384"})
  void aHeadThatNeverEndsEndsTheConnection(String port, int pieceBytes) throws Exception {
    start();
    int most = 32 << 20;
    int sent = 0;
    try (RawHttp2 connection = connect(port)) {
      int stream = connection.openUnfinished(CHECK);
      try {
        while (connection.isOpen() && sent < most) {
          for (int i = 0; i < 16; i++) {
            connection.continuation(stream, fieldsOf(pieceBytes));
            sent += 9 + pieceBytes;
          }
          connection.flush();
        }
      } catch (IOException closed) {
        // As it should be.
      }
      connection.awaitClose();
    }
    assertThat(sent).as("bytes read until the end").isLessThan(most);
    assertThat(askAsAnother()).isEqualTo(200);
  }

  /** A piece of a block: fields without a name and a value, as far as they fit. */
  private static byte[] fieldsOf(int bytes) {
    byte[] block = new byte[bytes];
    for (int i = 0; i + 4 < bytes; i += 5) {
      block[i + 1] = 1;
      block[i + 2] = 'x';
      block[i + 3] = 1;
      block[i + 4] = 'y';
    }
    return block;
  }

  @Test
  void aHeadThatIsNeverCompleteEndsTheConnection() throws Exception {
    start(Duration.ofSeconds(1), Duration.ofSeconds(2));
    try (RawHttp2 connection = connect()) {
      connection.openUnfinished(CHECK);
      connection.flush();
      connection.awaitClose();
    }
    assertThat(askAsAnother()).isEqualTo(200);
  }

  @Test
  void pingsDoNotKeepAnIdleConnectionOpen() throws Exception {
    start(Duration.ofSeconds(1), Duration.ofSeconds(2));
    try (RawHttp2 connection = connect()) {
      CompletableFuture<Void> pings =
          CompletableFuture.runAsync(
              () -> {
                try {
                  while (connection.isOpen()) {
                    connection.ping();
                    connection.flush();
                    LockSupport.parkNanos(100_000_000);
                  }
                } catch (IOException closed) {
                  // As it should be.
                }
              });
      connection.awaitClose();
      pings.join();
    }
  }

  /** What comes before HTTP/2, or any HTTP. */
  @Test
  void aHandshakeThatNeverEndsEndsTheConnection() throws Exception {
    start(Duration.ofSeconds(1), Duration.ofSeconds(2));
    try (RawConnection silent = new RawConnection(server.port())) {
      assertThat(silent.everything()).isEmpty();
    }
  }

  @Test
  void tenThousandRapidResetsHoldNothingAndOthersAreAnswered() throws Exception {
    start();
    assertThat(askAsAnother()).isEqualTo(200);
    reset(500);
    awaitMetric(CONNECTIONS, 1);
    long heap = usedHeap();
    long threads = serverThreads();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<List<Integer>> others =
        CompletableFuture.supplyAsync(
            () -> {
              List<Integer> statuses = new ArrayList<>();
              while (!over.get()) {
                try {
                  statuses.add(askAsAnother());
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }
              return statuses;
            });
    try {
      reset(10_000);
    } finally {
      over.set(true);
    }
    assertThat(others.join()).isNotEmpty().containsOnly(200);
    awaitMetric(CONNECTIONS, 1);
    awaitMetric(INPUT, 0);
    // Those that serve the metrics start as they are needed, up to a maximum.
    assertThat(serverThreads()).isLessThan(threads + 30);
    assertThat(usedHeap() - heap).as("growth of the heap").isLessThan(20 << 20);
  }

  /** Opens streams and resets them at once, on as many connections as the server makes it take. */
  private void reset(int streams) throws Exception {
    int left = streams;
    while (left > 0) {
      try (RawHttp2 connection = connect()) {
        while (left > 0 && connection.isOpen()) {
          for (int i = 0; i < 10; i++, left--) {
            int stream = connection.open(CHECK);
            if (i % 2 == 0) {
              connection.data(stream, new byte[PIECE / 10]);
            }
            connection.cancel(stream);
          }
          connection.flush();
        }
      } catch (IOException closed) {
        // Resets beyond the maximum end a connection.
      }
    }
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long serverThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("(vert\\.x|sash).*"))
        .count();
  }

  private List<Integer> openBodies(RawHttp2 connection) throws IOException {
    List<Integer> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      int stream = connection.open(CHECK);
      connection.data(stream, new byte[PIECE]);
      streams.add(stream);
    }
    connection.flush();
    return streams;
  }

  @ParameterizedTest
  @ValueSource(strings = {"close", "reset"})
  void unfinishedBodiesAreCountedUntilTheyEnd(String end) throws Exception {
    start();
    try (RawHttp2 connection = connect()) {
      List<Integer> streams = openBodies(connection);
      awaitMetric(INPUT, STREAMS * PIECE);
      if (end.equals("reset")) {
        streams.forEach(connection::cancel);
        connection.flush();
        awaitMetric(INPUT, 0);
        assertThat(connection.isOpen()).isTrue();
      }
    }
    awaitMetric(INPUT, 0);
    awaitMetric(CONNECTIONS, 1);
  }

  @Test
  void unfinishedBodiesEndByTheRequestTimeout() throws Exception {
    start(Duration.ofSeconds(1), Duration.ofMinutes(5));
    try (RawHttp2 connection = connect()) {
      for (int stream : openBodies(connection)) {
        assertThat(connection.await(stream)).isEqualTo("408");
      }
      awaitMetric(INPUT, 0);
      assertThat(connection.isOpen()).isTrue();
    }
  }

  private static byte[] message(int announced, int sent) {
    return ByteBuffer.allocate(5 + sent).putInt(1, announced).array();
  }

  /** A call that is refused as soon as it is read: its message is empty. */
  private static void assertAnswered(RawHttp2 connection) throws Exception {
    int stream = connection.call(RLS, new byte[0]);
    connection.flush();
    assertThat(connection.await(stream)).isEqualTo(INVALID_ARGUMENT);
  }

  @Test
  void unfinishedMessagesOfAGrpcConnectionAreBounded() throws Exception {
    start();
    try (RawHttp2 others = new RawHttp2(server.server().grpcPort())) {
      try (RawHttp2 connection = new RawHttp2(server.server().grpcPort())) {
        assertAnswered(connection); // from here on, both know the settings of the other
        int large = connection.open(RLS);
        connection.data(large, message(MAX_MESSAGE_BYTES + 1, 10));
        connection.flush();
        assertThat(connection.await(large)).as("too large").isEqualTo(RESOURCE_EXHAUSTED);
        connection.cancel(large);
        for (int i = 0; i < MAX_CALLS; i++) {
          connection.data(connection.open(RLS), message(MAX_MESSAGE_BYTES, 10));
        }
        int beyond = connection.open(RLS);
        connection.flush();
        assertThat(connection.await(beyond)).isEqualTo("reset");
        assertAnswered(others);
      }
      awaitMetric("sash_server_connections{protocol=\"grpc\"}", 1);
      assertThat(metric("sash_server_requests_waiting{protocol=\"grpc\"}")).isZero();
      assertAnswered(others);
    }
  }
}
