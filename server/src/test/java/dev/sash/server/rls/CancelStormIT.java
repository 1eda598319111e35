package dev.sash.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.http.HttpOptions;
import dev.sash.testkit.redis.FaultProxy;
import dev.sash.testkit.redis.RedisServer;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that give up, as Envoy does after 20 ms, whatever the moment: other calls on the same
 * connection are answered, and the log stays empty.
 */
@Timeout(180)
class CancelStormIT {
  private static final String METHOD =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final byte[] MESSAGE =
      RlsServiceIT.request(RlsServiceIT.descriptor("user", "ann")).toByteArray();
  private static final int CANCELLED = 10_000;
  private static final int AT_ONCE = 25;

  private static final Logger ROOT = Logger.getLogger("");

  @TempDir Path folder;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private PrintStream standardError;

  private final Handler jdkLog =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          log.writeBytes((record.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private ResourceLeakDetector.Level leakDetection;

  /** What Netty and Sash log goes to the standard error, what gRPC logs to the JDK's logging. */
  @BeforeEach
  void recordTheLog() {
    standardError = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    ROOT.addHandler(jdkLog);
    leakDetection = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @AfterEach
  void stopRecording() {
    ResourceLeakDetector.setLevel(leakDetection);
    ROOT.removeHandler(jdkLog);
    System.setErr(standardError);
  }

  private SashServer start(UnaryOperator<ServerOptions> options) throws Exception {
    Path file = folder.resolve("shop.yaml");
    Files.writeString(
        file,
        """
        domain: shop
        descriptors:
          - key: user
            rate_limit: {unit: hour, requests_per_unit: 1000000}
        """);
    ServerOptions plain =
        ServerOptions.of(HttpOptions.at("127.0.0.1", 0)).withGrpc(GrpcOptions.at("127.0.0.1", 0));
    return SashServer.start(options.apply(plain.withConfiguration(file)));
  }

  /** The log is empty, and no call is under way. */
  private void assertQuiet(SashServer server) throws Exception {
    URI metrics = URI.create("http://127.0.0.1:" + server.port() + "/metrics");
    HttpClient client = HttpClient.newHttpClient();
    String page;
    do {
      HttpRequest request = HttpRequest.newBuilder(metrics).build();
      page = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } while (!page.contains("sash_server_requests_waiting{protocol=\"grpc\"} 0.0"));
    assertThat(log.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  /** Some calls, each of which is cancelled a moment after it was sent. */
  private static void cancelSome(RawHttp2 connection, Duration after) throws Exception {
    List<Integer> streams = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      streams.add(connection.call(METHOD, MESSAGE));
      if (after.isZero()) {
        connection.cancel(streams.get(i));
      }
      connection.flush();
    }
    if (!after.isZero()) {
      LockSupport.parkNanos(after.toNanos());
      streams.forEach(connection::cancel);
      connection.flush();
    }
  }

  private static void storm(RawHttp2 connection) throws Exception {
    List<Duration> moments =
        List.of(
            Duration.ZERO, Duration.ofNanos(100_000), Duration.ofMillis(1), Duration.ofMillis(5));
    for (int done = 0; done < CANCELLED; done += AT_ONCE * moments.size()) {
      for (Duration moment : moments) {
        int before = connection.call(METHOD, MESSAGE);
        connection.flush();
        cancelSome(connection, moment);
        int after = connection.call(METHOD, MESSAGE);
        connection.flush();
        assertThat(connection.await(before)).as("before %d, %s", done, moment).isEqualTo("0");
        assertThat(connection.await(after)).as("after %d, %s", done, moment).isEqualTo("0");
      }
    }
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void oneCancelledCallLeavesTheNextAlone() throws Exception {
    try (SashServer server = start(UnaryOperator.identity());
        RawHttp2 connection = new RawHttp2(server.grpcPort())) {
      connection.cancel(connection.call(METHOD, MESSAGE));
      connection.flush();
      for (int i = 0; i < 6; i++) {
        int stream = connection.call(METHOD, MESSAGE);
        connection.flush();
        assertThat(connection.await(stream)).isEqualTo("0");
      }
      assertQuiet(server);
    }
  }

  @Test
  void tenThousandCancelledCallsLeaveTheOthersAlone() throws Exception {
    try (SashServer server = start(UnaryOperator.identity());
        RawHttp2 connection = new RawHttp2(server.grpcPort())) {
      storm(connection);
      assertQuiet(server);
    }
  }

  @Test
  void soDoThoseThatWaitForRedis() throws Exception {
    try (RedisServer redis = RedisServer.start();
        FaultProxy proxy = FaultProxy.to(redis);
        SashServer server = start(options -> options.withRedis(List.of(proxy.uri())));
        RawHttp2 connection = new RawHttp2(server.grpcPort())) {
      proxy.delay(Duration.ofMillis(2));
      storm(connection);
      assertQuiet(server);
    }
  }

  /** The answer waits for the client's window when the call is cancelled. */
  @Test
  void aCancelledCallWhoseAnswerCouldNotBeSentLeavesTheNextAlone() throws Exception {
    try (SashServer server = start(UnaryOperator.identity());
        RawHttp2 connection = new RawHttp2(server.grpcPort(), 0)) {
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        streams.add(connection.call(METHOD, MESSAGE));
        connection.flush();
        LockSupport.parkNanos(1_000_000);
      }
      streams.forEach(connection::cancel);
      // Has an answer without a body.
      int last = connection.call("/no.such.Service/Method", MESSAGE);
      connection.flush();
      assertThat(connection.await(last)).isEqualTo("12");
      assertQuiet(server);
    }
  }
}
