package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.rls.RawHttp2;
import dev.sash.testkit.redis.RedisServer;
import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
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
  private static final String INPUT = ServerMetrics.INPUT;
  private static final String WAITING = ServerMetrics.waiting("http");
  private static final String CONNECTIONS = ServerMetrics.connections("http");
  private static final String RLS = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String INVALID_ARGUMENT = "3";
  private static final String RESOURCE_EXHAUSTED = "8";
  private static final int MAX_MESSAGE_BYTES = 64 << 10;
  private static final int MAX_CALLS = 1_000;
  private static final int WINDOW = (1 << 16) - 1;

  /** Less than the maximum of streams on a connection. */
  private static final int STREAMS = 90;

  private static final int PIECE = 500;

  /** More than a client may reset within half a minute, which are 200. */
  private static final int RESETS = 500;

  /** Never over while a test runs. */
  private static final Duration LONG = Duration.ofMinutes(5);

  /** The end of a connection with the error code of HTTP/2 for clients that take too much. */
  private static final String CALM = "go away with error 11: ";

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
    server = started(requestTimeout, idleTimeout, UnaryOperator.identity());
  }

  private TestServer started(
      Duration requestTimeout, Duration idleTimeout, UnaryOperator<ServerOptions> changed) {
    return TestServer.start(
        "policies: {many: {limit: 1000000000/1h sliding-counter, deadline: 10s}}",
        http ->
            http.withTls(new TlsFiles(certificate.certificate(), certificate.key()))
                .withBounds(
                    HttpBounds.defaults()
                        .withRequestTimeout(requestTimeout)
                        .withIdleTimeout(idleTimeout)),
        options -> changed.apply(options.withGrpc(GrpcOptions.at("127.0.0.1", 0))));
  }

  private void start() {
    start(LONG, LONG);
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
    return metrics().get(name);
  }

  private void awaitMetric(String name, double value) throws Exception {
    metrics().await(name, value);
  }

  private ServerMetrics metrics() {
    return new ServerMetrics(other, "https://localhost:" + server.port());
  }

  /**
   * The client sends a little more than the server takes, and then waits: what the server holds of
   * a head is bounded by that, since it ends the connection although nothing more comes.
   */
  @ParameterizedTest
  @CsvSource({
    "http, 0, 40",
    "http, 1, 40",
    "http, 1000, 44",
    "http, 16384, 4",
    "grpc, 0, 40",
    "grpc, 1, 40",
    "grpc, 1000, 20",
    "grpc, 16384, 2"
  })
  void aHeadThatGoesOnForTooLongEndsTheConnection(String port, int pieceBytes, int pieces)
      throws Exception {
    start();
    try (RawHttp2 connection = connect(port)) {
      int stream = connection.openUnfinished(CHECK);
      for (int i = 0; i < pieces; i++) {
        connection.continuation(stream, fieldsOf(pieceBytes));
      }
      try {
        connection.flush();
      } catch (IOException closed) {
        // Before all of it was sent.
      }
      assertThat(connection.awaitClose())
          .containsAnyOf("continuations frames", "Header size exceeded", "closed");
    }
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
      assertThat(connection.awaitClose()).startsWith("go away with error 0: ");
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

  /**
   * What comes before HTTP/2, or any HTTP. Two connections end one after the other by a short
   * limit, and one that began before them is still open by a long one: so the limit is the one that
   * is configured.
   */
  @Test
  void aHandshakeThatNeverEndsEndsTheConnection() throws Exception {
    start(Duration.ofSeconds(1), LONG);
    try (TestServer patient = started(LONG, LONG, UnaryOperator.identity());
        Socket kept = new Socket(InetAddress.getLoopbackAddress(), patient.port())) {
      CompletableFuture<Void> end = CompletableFuture.runAsync(() -> awaitEnd(kept));
      for (int i = 0; i < 2; i++) {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
          awaitEnd(silent);
        }
      }
      assertThat(end).isNotDone();
    }
  }

  /** Returns when the other end has closed, without having sent anything. */
  private static void awaitEnd(Socket socket) {
    try {
      assertThat(socket.getInputStream().read()).isNegative();
    } catch (IOException e) {
      // Reset, or closed on this side at the end of the test.
    }
  }

  @Test
  void rapidResetsEndTheConnectionHoldNothingAndOthersAreAnswered() throws Exception {
    start();
    assertThat(askAsAnother()).isEqualTo(200);
    reset(2);
    awaitMetric(CONNECTIONS, 1);
    long heap = usedHeap();
    Set<String> threads = eventLoops();
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
      reset(20);
    } finally {
      over.set(true);
    }
    assertThat(others.join()).isNotEmpty().containsOnly(200);
    awaitMetric(CONNECTIONS, 1);
    awaitMetric(INPUT, 0);
    awaitMetric(WAITING, 0);
    assertThat(eventLoops()).isEqualTo(threads);
    assertThat(usedHeap() - heap).as("growth of the heap").isLessThan(20 << 20);
  }

  /** Opens streams and resets them at once, on several connections: the server ends each. */
  private void reset(int connections) throws Exception {
    for (int i = 0; i < connections; i++) {
      try (RawHttp2 connection = connect()) {
        for (int left = RESETS; left > 0; left -= 10) {
          resetTen(connection);
        }
        connection.awaitClose();
      }
    }
  }

  @Test
  void resetsBeyondAMaximumEndTheConnection() throws Exception {
    start();
    try (RawHttp2 connection = connect()) {
      int sent = 0;
      while (connection.isOpen() && sent < RESETS) {
        resetTen(connection);
        connection.roundTrip();
        sent += 10;
      }
      assertThat(connection.awaitClose()).startsWith(CALM);
      assertThat(sent).isLessThan(RESETS);
    }
  }

  private static void resetTen(RawHttp2 connection) {
    try {
      for (int i = 0; i < 10; i++) {
        int stream = connection.open(CHECK);
        if (i % 2 == 0) {
          connection.data(stream, new byte[PIECE / 10]);
        }
        connection.cancel(stream);
      }
      connection.flush();
    } catch (IOException closed) {
      // As it should be, sooner or later.
    }
  }

  /** Work that has begun goes on when the client resets it, and ends. */
  @Test
  void resetRequestsThatWaitForRedisLeaveNothingBehind() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      server = started(LONG, LONG, options -> options.withRedis(List.of(redis.uri())));
      assertThat(askAsAnother()).isEqualTo(200);
      redis.pause();
      try (RawHttp2 connection = connect()) {
        for (int i = 0; i < RESETS; i++) {
          int stream = connection.open(CHECK);
          connection.lastData(stream, ASK);
          connection.cancel(stream);
        }
        connection.flush();
        connection.awaitClose();
      }
      assertThat(metric(WAITING)).as("requests under way").isPositive();
      redis.resume();
      awaitMetric(WAITING, 0);
      awaitMetric(CONNECTIONS, 1);
      awaitMetric(INPUT, 0);
      assertThat(askAsAnother()).isEqualTo(200);
    }
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** The threads that serve connections: there are as many as before, and the same. */
  private static Set<String> eventLoops() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("(vert\\.x-(eventloop|acceptor)|sash-grpc).*"))
        .collect(Collectors.toSet());
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
      awaitMetric(ServerMetrics.connections("grpc"), 1);
      assertThat(metric(ServerMetrics.waiting("grpc"))).isZero();
      assertAnswered(others);
    }
  }
}
