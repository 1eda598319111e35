package dev.sash.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.http.guard.HttpBounds;
import dev.sash.server.net.NetworkBounds;
import dev.sash.server.net.TlsFiles;
import dev.sash.server.resp.RespOptions;
import dev.sash.testkit.redis.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that have not completed the handshake of TLS count as much as others. */
@Timeout(120)
class TlsHandshakeLimitIT {
  private static final String HTTP = ServerMetrics.connections("http");
  private static final String RESP = ServerMetrics.connections("resp");
  private static final int MANY = 1_000;

  @TempDir Path folder;
  private SSLContext context;
  private TestServer server;
  private ServerMetrics metrics;
  private final List<Socket> open = new ArrayList<>();
  private TlsFiles files;

  @BeforeEach
  void createCertificate() throws Exception {
    SelfSignedCertificate certificate = SelfSignedCertificate.in(folder);
    context = TestTls.context(null, certificate);
    files = new TlsFiles(certificate.certificate(), certificate.key());
  }

  private void start(int connections, int connectionsPerAddress) {
    HttpBounds bounds =
        HttpBounds.defaults()
            .withMaxConnections(connections)
            .withRequestTimeout(Duration.ofMinutes(5));
    server =
        TestServer.start(
            "policies: {api: {limit: 100/1h}}",
            http -> http.withTls(files).withBounds(bounds),
            options ->
                options
                    .withNetwork(new NetworkBounds(connectionsPerAddress, 1 << 20))
                    .withResp(
                        RespOptions.builder()
                            .port(0)
                            .tls(files)
                            .maxConnections(connections)
                            .build()));
    metrics =
        new ServerMetrics(
            HttpClient.newBuilder().sslContext(context).build(),
            "https://localhost:" + server.port());
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    return socket;
  }

  /** Returns when the server has closed a connection, without having sent anything. */
  private void assertRefused(int port) throws IOException {
    try {
      assertThat(connect(port).getInputStream().read()).isNegative();
    } catch (IOException reset) {
      // Closed as well.
    }
  }

  /** The client that reads the metrics has one of the connections. */
  @ParameterizedTest
  @CsvSource({"3, 1000", "1000, 3"})
  void countOnTheHttpPort(int connections, int connectionsPerAddress) throws Exception {
    start(connections, connectionsPerAddress);
    metrics.await(HTTP, 1);
    connect(server.port());
    connect(server.port());
    metrics.await(HTTP, 3);
    assertRefused(server.port());
    assertThat(metrics.get(ServerMetrics.refused("http"))).isEqualTo(1);
    open.get(0).close();
    metrics.await(HTTP, 2);
    try (Socket secure = context.getSocketFactory().createSocket("localhost", server.port())) {
      secure.getOutputStream().write("GET /livez HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
      assertThat(secure.getInputStream().readNBytes(15)).asString().isEqualTo("HTTP/1.0 200 OK");
    }
    metrics.await(HTTP, 2);
  }

  @ParameterizedTest
  @CsvSource({"2, 1000", "1000, 3"})
  void countOnTheRespPort(int connections, int connectionsPerAddress) throws Exception {
    start(connections, connectionsPerAddress);
    connect(server.server().respPort());
    connect(server.server().respPort());
    metrics.await(RESP, 2);
    assertThat(metrics.get("sash_resp_connections")).isEqualTo(2);
    assertRefused(server.server().respPort());
    assertThat(metrics.get(ServerMetrics.refused("resp"))).isEqualTo(1);
    open.get(0).close();
    metrics.await(RESP, 1);
    int port = server.server().respPort();
    try (Socket secure = context.getSocketFactory().createSocket("localhost", port)) {
      secure.getOutputStream().write("PING\r\n".getBytes(US_ASCII));
      assertThat(secure.getInputStream().readNBytes(5)).asString().isEqualTo("+PONG");
    }
    metrics.await(RESP, 1);
  }

  @Test
  void countOverAllPorts() throws Exception {
    start(MANY, 3);
    metrics.await(HTTP, 1);
    connect(server.port());
    connect(server.server().respPort());
    metrics.await(HTTP, 2);
    metrics.await(RESP, 1);
    assertRefused(server.port());
    assertRefused(server.server().respPort());
  }
}
