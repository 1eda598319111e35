package dev.sash.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sash.server.net.TlsFiles;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.rls.GrpcOptions;
import dev.sash.testkit.redis.SelfSignedCertificate;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that change while connections are open, over HTTP and RESP. */
@Timeout(120)
class TlsReloadIT {
  private static final String YAML = "policies: {one: {limit: 9/1h}}";
  private static final String LIVE = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String PING = "PING\r\n";

  private static final Path REDIS_CLI = Path.of("/usr/bin/redis-cli");

  @TempDir Path folder;
  private SelfSignedCertificate used;
  private SelfSignedCertificate first;
  private SelfSignedCertificate second;
  private SelfSignedCertificate client;

  @BeforeEach
  void certificates() throws Exception {
    used = TestTls.certificate(folder, "used");
    first = TestTls.certificate(folder, "first");
    second = TestTls.certificate(folder, "second");
    client = TestTls.certificate(folder, "client");
    TestTls.replace(used, first);
  }

  private TestServer start(TlsFiles files) {
    return TestServer.start(
        YAML,
        http -> http.withTls(files),
        options ->
            options
                .withResp(RespOptions.builder().port(0).tls(files).build())
                .withGrpc(GrpcOptions.at("127.0.0.1", 0).withTls(files)));
  }

  /** A connection over TLS. */
  private static final class Connection implements AutoCloseable {
    private final SSLSocket socket;

    Connection(int port, SSLContext context) throws IOException {
      socket =
          (SSLSocket)
              context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(30_000);
    }

    /** Sends, and returns what comes up to some text. */
    String ask(String request, String until) throws IOException {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      while (!answer.toString(ISO_8859_1).endsWith(until)) {
        int b = socket.getInputStream().read();
        if (b < 0) {
          break;
        }
        answer.write(b);
      }
      return answer.toString(ISO_8859_1);
    }

    Certificate serverCertificate() throws IOException {
      return socket.getSession().getPeerCertificates()[0];
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @RepeatedTest(3)
  void aNewCertificateHoldsForNewConnectionsAndOpenOnesGoOn() throws Exception {
    SSLContext trusting = TestTls.context(null, first, second);
    try (TestServer server = start(new TlsFiles(used.certificate(), used.key()));
        Connection http = new Connection(server.port(), trusting);
        Connection resp = new Connection(server.server().respPort(), trusting)) {
      assertThat(http.ask(LIVE, "ok\n")).contains("200 OK");
      assertThat(resp.ask(PING, "\n")).isEqualTo("+PONG\r\n");
      assertThat(http.serverCertificate()).isEqualTo(TestTls.read(first));

      TestTls.replace(used, second);
      awaitCertificate(server.port(), second);
      awaitCertificate(server.server().respPort(), second);
      awaitCertificate(server.server().grpcPort(), second);
      assertThat(isServing(server, null, second)).isTrue();

      assertThat(http.ask(LIVE, "ok\n")).contains("200 OK");
      assertThat(resp.ask(PING, "\n")).isEqualTo("+PONG\r\n");
      assertThat(http.serverCertificate()).isEqualTo(TestTls.read(first));
      assertThatNewConnectionsUseBothVersionsOfHttp(server);
    }
  }

  /** On every event loop: several connections, each with a handshake of its own. */
  private void awaitCertificate(int port, SelfSignedCertificate expected) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (int seen = 0; seen < 8; ) {
      assertThat(System.nanoTime()).isLessThan(end);
      try (Connection connection = new Connection(port, TestTls.context(null, first, second))) {
        seen = connection.serverCertificate().equals(TestTls.read(expected)) ? seen + 1 : 0;
      }
    }
  }

  private void assertThatNewConnectionsUseBothVersionsOfHttp(TestServer server) throws Exception {
    HttpClient fresh = HttpClient.newBuilder().sslContext(TestTls.context(null, second)).build();
    URI uri = URI.create("https://localhost:" + server.port() + "/livez");
    for (HttpClient.Version version : HttpClient.Version.values()) {
      HttpResponse<String> response =
          fresh.send(HttpRequest.newBuilder(uri).version(version).build(), BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(version);
    }
  }

  @Test
  void aClientCaRequiresCertificatesOfThatAuthority() throws Exception {
    TlsFiles files = new TlsFiles(used.certificate(), used.key(), client.certificate());
    try (TestServer server = start(files)) {
      for (int port : new int[] {server.port(), server.server().respPort()}) {
        String request = port == server.port() ? LIVE : PING;
        String end = port == server.port() ? "ok\n" : "\n";
        assertThat(ask(port, client, request, end)).containsAnyOf("200 OK", "+PONG");
        assertThatExceptionOfType(SSLException.class)
            .isThrownBy(() -> ask(port, null, request, end));
        assertThatExceptionOfType(SSLException.class)
            .isThrownBy(() -> ask(port, second, request, end));
      }
    }
  }

  @Test
  void grpcRequiresThemToo() throws Exception {
    TlsFiles files = new TlsFiles(used.certificate(), used.key(), client.certificate());
    try (TestServer server = start(files)) {
      assertThat(isServing(server, client, first)).isTrue();
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> isServing(server, null, first));
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> isServing(server, second, first));
    }
  }

  private static boolean isServing(
      TestServer server, @Nullable SelfSignedCertificate own, SelfSignedCertificate trusted)
      throws Exception {
    SslContextBuilder tls =
        GrpcSslContexts.forClient().trustManager(trusted.certificate().toFile());
    if (own != null) {
      tls.keyManager(own.certificate().toFile(), own.key().toFile());
    }
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", server.server().grpcPort())
            .sslContext(tls.build())
            .build();
    try {
      return HealthGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance())
              .getStatus()
          == ServingStatus.SERVING;
    } finally {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private String ask(int port, SelfSignedCertificate own, String request, String end)
      throws Exception {
    try (Connection connection = new Connection(port, TestTls.context(own, first))) {
      return connection.ask(request, end);
    }
  }

  /** Without the closing alert of TLS the client could not tell an end from an interruption. */
  @RepeatedTest(3)
  void respEndsTlsProperly() throws Exception {
    try (TestServer server = start(new TlsFiles(used.certificate(), used.key()));
        Connection resp =
            new Connection(server.server().respPort(), TestTls.context(null, first))) {
      assertThat(resp.ask("PING\r\nQUIT\r\nPING\r\n", "never")).isEqualTo("+PONG\r\n+OK\r\n");
    }
  }

  @Test
  void lettuceAndRedisCliUseRespOverTls() throws Exception {
    try (TestServer server = start(new TlsFiles(used.certificate(), used.key()));
        RedisClient lettuce = RedisClient.create()) {
      int port = server.server().respPort();
      lettuce.setOptions(
          ClientOptions.builder()
              .sslOptions(
                  SslOptions.builder()
                      .jdkSslProvider()
                      .trustManager(first.certificate().toFile())
                      .build())
              .build());
      try (StatefulRedisConnection<String, String> connection =
          lettuce.connect(StringCodec.UTF8, RedisURI.create("rediss://localhost:" + port))) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
      }
      assumeTrue(Files.isExecutable(REDIS_CLI), "redis-cli is not installed");
      List<String> command = new ArrayList<>(List.of(REDIS_CLI.toString(), "-p", port + ""));
      command.addAll(List.of("--tls", "--cacert", first.certificate() + "", "PING"));
      Path output = folder.resolve("redis-cli.out");
      Process redisCli =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      assertThat(redisCli.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(output).hasContent("PONG");
    }
  }

  @Test
  void respOverTlsRefusesThoseWhoSpeakWithoutIt() throws Exception {
    try (TestServer server = start(new TlsFiles(used.certificate(), used.key()));
        RawConnection plain = new RawConnection(server.server().respPort())) {
      assertThat(plain.send("PING\r\n").everything()).doesNotContain("PONG");
    }
  }
}
