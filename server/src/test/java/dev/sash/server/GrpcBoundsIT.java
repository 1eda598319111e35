package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.server.rls.RawHttp2;
import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client may take of the gRPC port, in time, bytes and connections. */
@Timeout(120)
class GrpcBoundsIT {
  private static final String RLS = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String WATCH = "/grpc.health.v1.Health/Watch";
  private static final String REFLECTION =
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  private static final String INVALID_ARGUMENT = "3";
  private static final String DEADLINE_EXCEEDED = "4";
  private static final String RESOURCE_EXHAUSTED = "8";
  private static final String INPUT = ServerMetrics.INPUT;

  /** What a call counts besides its message, and a piece of a message besides its bytes. */
  private static final int CALL_BYTES = 8 << 10;

  private static final int PIECE_BYTES = 256;

  /** Never over while a test runs. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final Duration SHORT = Duration.ofSeconds(1);

  private TestServer server;
  private ServerMetrics metrics;

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static TestServer started(UnaryOperator<GrpcOptions> grpc, NetworkBounds network) {
    return TestServer.start(
        "policies: {api: {limit: 100/1h}}",
        options ->
            options
                .withGrpc(grpc.apply(GrpcOptions.at("127.0.0.1", 0).withTimeouts(LONG, LONG)))
                .withNetwork(network));
  }

  private void start(UnaryOperator<GrpcOptions> grpc, NetworkBounds network) {
    server = started(grpc, network);
    metrics = new ServerMetrics(HttpClient.newHttpClient(), "http://127.0.0.1:" + server.port());
  }

  private void start(Duration idleTimeout, Duration requestTimeout) {
    start(grpc -> grpc.withTimeouts(idleTimeout, requestTimeout), NetworkBounds.defaults());
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(server.server().grpcPort());
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

  @ParameterizedTest
  @ValueSource(strings = {"head", "part of a message", "message that does not end the request"})
  void aRequestThatIsNeverCompleteIsRefusedInTime(String sent) throws Exception {
    start(LONG, SHORT);
    try (RawHttp2 connection = connect()) {
      int stream = connection.open(RLS);
      switch (sent) {
        case "head" -> {}
        case "part of a message" -> connection.data(stream, message(100, 10));
        default -> connection.data(stream, message(10, 10));
      }
      connection.flush();
      assertThat(connection.await(stream)).isEqualTo(DEADLINE_EXCEEDED);
      metrics.await(INPUT, 0);
      assertThat(connection.isOpen()).isTrue();
      assertAnswered(connection);
    }
  }

  /** One after the other, so that the time of a request would be over long before the last. */
  @Test
  void everyMessageOfACallBeginsTheTimeAnew() throws Exception {
    start(LONG, Duration.ofSeconds(3));
    try (RawHttp2 connection = connect()) {
      int stream = connection.open(REFLECTION);
      byte[] listServices = ByteBuffer.allocate(2).put((byte) (7 << 3 | 2)).array();
      byte[] framed = ByteBuffer.allocate(7).putInt(1, 2).position(5).put(listServices).array();
      for (int i = 0; i < 5; i++) {
        connection.data(stream, framed);
        connection.flush();
        pause(Duration.ofSeconds(1));
      }
      connection.lastData(stream, framed);
      connection.flush();
      assertThat(connection.await(stream)).isEqualTo("0");
    }
  }

  @Test
  void aCallThatIsCompleteHasAllTheTime() throws Exception {
    start(LONG, SHORT);
    try (RawHttp2 connection = connect()) {
      int watch = connection.call(WATCH, new byte[0]);
      int late = connection.open(RLS);
      connection.flush();
      assertThat(connection.await(late)).isEqualTo(DEADLINE_EXCEEDED);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(connection.await(watch)).as("ends with the server").isNotEqualTo("4");
      closing.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"reset", "close", "complete"})
  void unfinishedRequestsAreCountedUntilTheyEnd(String end) throws Exception {
    start(LONG, LONG);
    try (RawHttp2 connection = connect()) {
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        int stream = connection.open(RLS);
        connection.data(stream, message(600, 500));
        streams.add(stream);
      }
      connection.flush();
      metrics.await(INPUT, 50 * (CALL_BYTES + PIECE_BYTES + 500));
      switch (end) {
        case "reset" -> streams.forEach(connection::cancel);
        case "complete" -> streams.forEach(stream -> connection.lastData(stream, new byte[100]));
        default -> {}
      }
      connection.flush();
      if (!end.equals("close")) {
        metrics.await(INPUT, 0);
        assertAnswered(connection);
      }
    }
    metrics.await(INPUT, 0);
    metrics.await(ServerMetrics.connections("grpc"), 0);
  }

  @Test
  void unfinishedRequestsShareTheBytesOfAllProtocols() throws Exception {
    start(UnaryOperator.identity(), new NetworkBounds(100, 8 * CALL_BYTES));
    try (RawHttp2 connection = connect()) {
      for (int i = 0; i < 8; i++) {
        connection.open(RLS);
      }
      int beyond = connection.open(RLS);
      connection.flush();
      assertThat(connection.await(beyond)).isEqualTo(RESOURCE_EXHAUSTED);
      String body = "{\"policy\":\"api\",\"key\":\"ann\"}";
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(503);
    }
    metrics.await(INPUT, 0);
    try (RawHttp2 connection = connect()) {
      int large = connection.open(RLS);
      connection.data(large, message(60_000, 15_000));
      connection.data(large, new byte[15_000]);
      connection.data(large, new byte[15_000]);
      connection.data(large, new byte[14_000]);
      connection.flush();
      assertThat(connection.await(large)).isEqualTo(RESOURCE_EXHAUSTED);
      metrics.await(INPUT, 0);
      assertAnswered(connection);
    }
  }

  @Test
  void connectionsOfAnAddressAreBoundedOverAllProtocols() throws Exception {
    start(UnaryOperator.identity(), new NetworkBounds(3, 1 << 20));
    assertThat(metrics.get(ServerMetrics.connections("http"))).isEqualTo(1);
    try (RawHttp2 first = connect()) {
      try (RawHttp2 second = connect()) {
        assertAnswered(first);
        assertAnswered(second);
        try (Socket third = silent(server)) {
          awaitEnd(third);
        }
        assertThat(metrics.get(ServerMetrics.refused("grpc"))).isEqualTo(1);
        assertAnswered(first);
      }
      metrics.await(ServerMetrics.connections("grpc"), 1);
      try (RawHttp2 again = connect()) {
        assertAnswered(again);
      }
    }
  }

  private static Socket silent(TestServer to) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), to.server().grpcPort());
  }

  /** Returns when the other end has closed; the server may say something before. */
  private static void awaitEnd(Socket socket) {
    try {
      while (socket.getInputStream().read() >= 0) {
        // HTTP/2 begins with the settings of the server.
      }
    } catch (IOException e) {
      // Reset, or closed on this side at the end of the test.
    }
  }

  /**
   * Two connections end one after the other by a short limit, and one that began before them is
   * still open by a long one: so the limit is the one that is configured.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionThatNeverSpeaksEnds(boolean withTls, @TempDir Path folder) throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.in(folder);
    TlsFiles tls = withTls ? new TlsFiles(certificate.certificate(), certificate.key()) : null;
    start(grpc -> grpc.withTimeouts(LONG, SHORT).withTls(tls), NetworkBounds.defaults());
    try (TestServer patient = started(grpc -> grpc.withTls(tls), NetworkBounds.defaults());
        Socket kept = silent(patient)) {
      CompletableFuture<Void> end = CompletableFuture.runAsync(() -> awaitEnd(kept));
      for (int i = 0; i < 2; i++) {
        try (Socket silent = silent(server)) {
          awaitEnd(silent);
        }
      }
      assertThat(end).isNotDone();
    }
    metrics.await(ServerMetrics.connections("grpc"), 0);
  }

  @Test
  void aConnectionWithoutCallsEnds() throws Exception {
    start(SHORT, LONG);
    try (RawHttp2 busy = connect();
        RawHttp2 idle = connect()) {
      busy.call(WATCH, new byte[0]);
      busy.flush();
      assertAnswered(idle);
      assertThat(idle.awaitClose()).isEqualTo("go away with error 0: max_idle");
      assertThat(busy.isOpen()).isTrue();
      assertAnswered(busy);
    }
  }

  @Test
  void aClientThatIsGoneEndsEvenIfItHasACall() throws Exception {
    start(SHORT, SHORT);
    try (RawHttp2 alive = connect();
        RawHttp2 gone = connect()) {
      gone.ignorePings();
      for (RawHttp2 connection : List.of(alive, gone)) {
        connection.call(WATCH, new byte[0]);
        connection.flush();
      }
      gone.awaitClose();
      assertThat(alive.isOpen()).isTrue();
      assertAnswered(alive);
    }
  }

  @Test
  void pingsInQuickSuccessionEndTheConnection() throws Exception {
    start(LONG, LONG);
    try (RawHttp2 connection = connect()) {
      assertAnswered(connection);
      for (int i = 0; i < 10 && connection.isOpen(); i++) {
        try {
          connection.roundTrip();
        } catch (SocketException e) {
          break; // the server has closed the connection
        }
      }
      assertThat(connection.awaitClose()).isEqualTo("go away with error 11: too_many_pings");
    }
  }

  /** As Envoy's {@code connection_keepalive} may: three of them too early would be too many. */
  @Test
  void pingsEveryFiveSecondsWithoutCallsArePermitted() throws Exception {
    start(LONG, LONG);
    try (RawHttp2 connection = connect()) {
      assertAnswered(connection);
      for (int i = 0; i < 4; i++) {
        connection.roundTrip();
        pause(Duration.ofMillis(5_100));
      }
      assertThat(connection.isOpen()).isTrue();
      assertAnswered(connection);
    }
  }

  /** Returns after that time or later. */
  private static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Test
  void refusesTimesThatAreTooShort() {
    GrpcOptions options = GrpcOptions.at("127.0.0.1", 0);
    assertThat(List.of(options.idleTimeout(), options.requestTimeout()))
        .containsExactly(Duration.ofMinutes(1), Duration.ofSeconds(10));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withTimeouts(LONG, Duration.ofMillis(1)))
        .withMessage("requestTimeout must be 1 s or more, was PT0.001S");
  }
}
