package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("dev.sash.testkit.redis.RedisBinary#all")
class RedisServerIT {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofSeconds(10);

  private final RedisBinary binary;

  RedisServerIT(RedisBinary binary) {
    this.binary = binary;
  }

  @Test
  void answersOnceStarted() {
    try (RedisServer server = start()) {
      assertThat(server.isUp()).isTrue();
      assertThat(server.command("PING")).isEqualTo("PONG");
      assertThat(server.info("redis_version")).isEqualTo(binary.version());
      assertThat(server.info("tcp_port")).isEqualTo(String.valueOf(server.port()));
      assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
    }
  }

  @Test
  void repliesOfEveryKindAreUnderstood() {
    try (RedisServer server = start()) {
      assertThat(server.command("SET", "key", "ä\r\nö")).isEqualTo("OK");
      assertThat(server.command("GET", "key")).isEqualTo("ä\r\nö");
      assertThat(server.command("GET", "nothing")).isNull();
      assertThat(server.command("EVAL", "return {1, {'two', {}}, false}", "0"))
          .asInstanceOf(InstanceOfAssertFactories.LIST)
          .containsExactly(1L, List.of("two", List.of()), null);
    }
  }

  @Test
  void errorsAreExceptions() {
    try (RedisServer server = start()) {
      server.command("SET", "key", "text");
      assertThatExceptionOfType(RedisReplyException.class)
          .isThrownBy(() -> server.command("INCR", "key"))
          .withMessage("ERR value is not an integer or out of range");
    }
  }

  @Test
  void nothingIsLeftAfterClosing() {
    RedisServer server = start();
    Path directory = directory(server);
    assertThat(directory).isDirectory();
    server.close();
    assertThat(ProcessHandle.of(server.pid())).isEmpty();
    assertThat(directory).doesNotExist();
    assertThat(server.isUp()).isFalse();
    server.close();
  }

  @Test
  void nothingIsLeftAfterClosingAPausedServer() {
    RedisServer server = start();
    server.pause();
    server.close();
    assertThat(ProcessHandle.of(server.pid())).isEmpty();
  }

  @Test
  void nothingOutlivesTheJvm() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-D" + RedisBinary.PROPERTY + "=" + binary.path(),
                "-cp",
                System.getProperty("java.class.path"),
                LeftBehind.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> servers;
    try (InputStream out = jvm.getInputStream()) {
      servers = new String(out.readAllBytes(), UTF_8).lines().toList();
    }
    assertThat(jvm.waitFor()).isZero();
    assertThat(servers).hasSize(2);
    for (String server : servers) {
      String[] pidAndDirectory = server.split(" ", 2);
      assertThat(ProcessHandle.of(Long.parseLong(pidAndDirectory[0]))).isEmpty();
      assertThat(Path.of(pidAndDirectory[1])).doesNotExist();
    }
  }

  @Test
  void aKilledServerComesBackOnTheSamePortWithWhatItKept() {
    try (RedisServer server = start("appendonly yes", "appendfsync always")) {
      server.command("SET", "key", "kept");
      long firstPid = server.pid();
      server.kill();
      assertThat(server.isUp()).isFalse();
      assertThat(ProcessHandle.of(firstPid)).isEmpty();
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> server.command("PING"));
      server.restart();
      assertThat(server.pid()).isNotEqualTo(firstPid);
      assertThat(server.command("GET", "key")).isEqualTo("kept");
    }
  }

  @Test
  void withoutDirectivesNothingIsKept() {
    try (RedisServer server = start()) {
      server.command("SET", "key", "forgotten");
      server.restart();
      assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void aStoppedServerSaysGoodbye() {
    try (RedisServer server = start()) {
      server.pause();
      server.stop();
      assertThat(ProcessHandle.of(server.pid())).isEmpty();
      assertThat(server.log()).contains("bye bye");
    }
  }

  @Test
  void aPausedServerAnswersOnlyWhenItGoesOn() throws IOException {
    try (RedisServer server = start();
        Resp client = new Resp(server.port(), SHORT)) {
      server.pause();
      assertThat(server.isUp()).isFalse();
      assertThatExceptionOfType(SocketTimeoutException.class)
          .isThrownBy(() -> client.call("INCR", "key"));
      server.resume();
      assertThat(server.isUp()).isTrue();
      Waiting.until(
          "the INCR is answered late",
          LONG,
          () -> "1".equals(server.command("GET", "key")) ? "" : "not yet");
    }
  }

  @Test
  void commandsWorkBehindAPassword() throws IOException {
    try (RedisServer server = start("requirepass secret", "user reader on >word ~* +get");
        Resp client = new Resp(server.port(), LONG)) {
      assertThatExceptionOfType(RedisReplyException.class)
          .isThrownBy(() -> client.call("GET", "key"))
          .withMessageStartingWith("NOAUTH");
      server.command("ACL", "SETUSER", "default", "off");
      assertThat(server.command("SET", "key", "value")).isEqualTo("OK");
      client.call("AUTH", "reader", "word");
      assertThat(client.call("GET", "key")).isEqualTo("value");
    }
  }

  @Test
  void aReplicaFollowsAtOnce() {
    try (RedisServer master = start();
        RedisServer replica = start("replicaof 127.0.0.1 " + master.port())) {
      master.command("SET", "key", "value");
      Waiting.until(
          "the replica has the key",
          LONG,
          () -> "value".equals(replica.command("GET", "key")) ? "" : replica.log());
    }
  }

  @Test
  void aServerThatDoesNotStartSaysWhy() {
    assertThatIllegalStateException()
        .isThrownBy(() -> start("no-such-directive yes"))
        .withMessageContaining("ended instead of answering")
        .withMessageContaining("no-such-directive");
  }

  @Test
  void directivesCannotMoveTheServer() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start("  port 6379"))
        .withMessageContaining("port 6379");
  }

  @Test
  void aTakenPortIsLeftToItsOwner() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int free = Ports.take();
      Iterator<Integer> ports = List.of(other.getLocalPort(), free).iterator();
      try (RedisServer server = RedisServer.builder().binary(binary).ports(ports::next).start()) {
        assertThat(server.port()).isEqualTo(free);
      }
    }
  }

  @Test
  void speaksTls() throws Exception {
    assumeTrue(binary.tls(), binary + " was built without TLS");
    try (RedisServer server = RedisServer.builder().binary(binary).tls().start();
        SSLSocket socket = connectTrusting(server)) {
      socket.getOutputStream().write(Resp.request("PING"));
      assertThat(socket.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void withoutTlsThereIsNoTlsPort() {
    try (RedisServer server = start()) {
      assertThatIllegalStateException().isThrownBy(server::tlsPort);
    }
    RedisBinary bare = new RedisBinary(binary.path(), binary.version(), false);
    assertThatIllegalStateException()
        .isThrownBy(() -> RedisServer.builder().binary(bare).tls().start())
        .withMessageContaining("built without TLS");
  }

  /** As a careful client would: trusting this certificate only, and checking the address. */
  private static SSLSocket connectTrusting(RedisServer server) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(server.certificate().certificate())) {
      trusted.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(server.host(), server.tlsPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  static Path directory(RedisServer server) {
    List<?> nameAndValue = (List<?>) server.command("CONFIG", "GET", "dir");
    return Path.of((String) nameAndValue.get(1));
  }

  private RedisServer start(String... directives) {
    return RedisServer.builder().binary(binary).directives(directives).start();
  }
}
