package dev.sash.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyIT {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofSeconds(10);

  private static RedisServer server;

  private FaultProxy proxy;

  @BeforeAll
  static void startServer() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void startProxy() {
    server.command("FLUSHALL");
    proxy = FaultProxy.to(server);
  }

  @AfterEach
  void stopProxy() {
    proxy.close();
  }

  @Test
  void passesEverythingOn() throws IOException {
    String large = "0123456789".repeat(300_000);
    try (Resp client = connect(LONG)) {
      assertThat(client.call("SET", "key", large)).isEqualTo("OK");
      assertThat(client.call("GET", "key")).isEqualTo(large);
      assertThat(proxy.connections()).isEqualTo(1);
    }
    awaitNoConnection();
  }

  @Test
  void delaysEachDirection() throws IOException {
    try (Resp client = connect(LONG)) {
      proxy.delay(Duration.ofMillis(150));
      long start = System.nanoTime();
      client.call("PING");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }
  }

  @Test
  void whatIsLateHoldsUpNothingElse() throws IOException {
    int requests = 20;
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      client.setTcpNoDelay(true);
      proxy.delay(Duration.ofMillis(250));
      long start = System.nanoTime();
      for (int i = 0; i < requests; i++) {
        client.getOutputStream().write(Resp.request("PING"));
      }
      client.getInputStream().readNBytes(requests * "+PONG\r\n".length());
      // One after the other would take 10 seconds.
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(500), Duration.ofSeconds(5));
    }
  }

  @Test
  void keepsTheOrderWhenTheDelayEnds() throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      client.setSoTimeout((int) LONG.toMillis());
      for (int i = 0; i < 20; i++) {
        if (i % 2 == 0) {
          proxy.delay(Duration.ofMillis(20));
        } else {
          proxy.pass();
        }
        client.getOutputStream().write(Resp.request("RPUSH", "key", "element"));
      }
      for (int i = 1; i <= 20; i++) {
        String reply = ":" + i + "\r\n";
        assertThat(client.getInputStream().readNBytes(reply.length())).asString().isEqualTo(reply);
      }
    }
  }

  @Test
  void aBlackHoleSwallowsRequestsOfOpenConnections() throws IOException {
    try (Resp client = connect(SHORT)) {
      client.call("PING");
      proxy.blackHole();
      assertNoAnswer(client);
      proxy.pass();
      assertThat(client.call("INCR", "key")).isEqualTo(1L);
    }
  }

  @Test
  void aBlackHoleAcceptsConnectionsThatWorkLater() throws IOException {
    proxy.blackHole();
    try (Resp client = connect(SHORT)) {
      assertNoAnswer(client);
      proxy.pass();
      assertThat(client.call("INCR", "key")).isEqualTo(1L);
    }
  }

  @Test
  void aBlackHoleHidesTheDeathOfTheServer() throws IOException {
    try (RedisServer mortal = RedisServer.start();
        FaultProxy before = FaultProxy.to(mortal);
        Resp client = new Resp(before.port(), SHORT)) {
      client.call("PING");
      before.blackHole();
      mortal.kill();
      assertNoAnswer(client);
      before.pass();
      assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.call("PING"));
      mortal.restart();
      try (Resp next = new Resp(before.port(), LONG)) {
        assertThat(next.call("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void droppedRepliesBelongToExecutedRequests() throws IOException {
    try (Resp client = connect(SHORT)) {
      proxy.dropReplies();
      assertNoAnswer(client);
      awaitCount("1");
      proxy.pass();
      assertThat(client.call("INCR", "key")).isEqualTo(2L);
    }
  }

  @Test
  void heldRepliesComeBeforeThoseOfTheNextFault() throws IOException {
    try (Resp client = connect(LONG);
        Socket raw = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      client.call("SET", "key", "0");
      proxy.holdReplies();
      raw.getOutputStream().write(Resp.request("INCR", "key"));
      Waiting.until("a held reply", LONG, () -> proxy.held() == 1 ? "" : "none");
      raw.getOutputStream().write(Resp.request("INCR", "key"));
      awaitCount("2");
      raw.setSoTimeout((int) SHORT.toMillis());
      assertThatExceptionOfType(SocketTimeoutException.class)
          .isThrownBy(() -> raw.getInputStream().read());
      raw.setSoTimeout((int) LONG.toMillis());

      proxy.holdReplies();
      assertThat(raw.getInputStream().readNBytes(4)).asString().isEqualTo(":1\r\n");
      Waiting.until("another held reply", LONG, () -> proxy.held() == 1 ? "" : "none");
      proxy.dropReplies();
      assertThat(raw.getInputStream().readNBytes(4)).asString().isEqualTo(":2\r\n");
      assertThat(proxy.held()).isZero();
    }
  }

  @Test
  void refusesOpenAndNewConnections() throws IOException {
    try (Resp client = connect(LONG)) {
      client.call("PING");
      proxy.refuse();
      assertThatExceptionOfType(EOFException.class).isThrownBy(() -> client.call("INCR", "key"));
    }
    try (Resp client = connect(LONG)) {
      assertEnded(client);
    }
    awaitNoConnection();
    assertThat(server.command("GET", "key")).isNull();
    proxy.pass();
    try (Resp client = connect(LONG)) {
      assertThat(client.call("INCR", "key")).isEqualTo(1L);
    }
  }

  @Test
  void aCutConnectionEndsInOrder() throws IOException {
    try (Resp client = connect(LONG)) {
      client.call("PING");
      proxy.cut();
      assertThatExceptionOfType(EOFException.class).isThrownBy(() -> client.call("INCR", "key"));
    }
    awaitNoConnection();
    assertThat(server.command("GET", "key")).isNull();
    try (Resp client = connect(LONG)) {
      assertThat(client.call("INCR", "key")).isEqualTo(1L);
    }
  }

  @Test
  void aResetConnectionFails() throws IOException {
    try (Resp client = connect(LONG)) {
      client.call("PING");
      proxy.reset();
      assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.call("INCR", "key"));
    }
    awaitNoConnection();
    assertThat(server.command("GET", "key")).isNull();
  }

  @Test
  void aResetInsideACommandLeavesItUndone() throws IOException {
    byte[] whole = Resp.request("INCR", "key");
    proxy.resetAfter(whole.length + whole.length / 2);
    try (Resp client = connect(LONG)) {
      assertThat(client.call("INCR", "key")).isEqualTo(1L);
      assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.call("INCR", "key"));
    }
    awaitNoConnection();
    assertThat(server.command("GET", "key")).isEqualTo("1");
  }

  @Test
  void aResetAfterACommandLeavesItDone() throws IOException {
    byte[] whole = Resp.request("INCR", "key");
    for (int i = 1; i <= 50; i++) {
      proxy.resetAfter(whole.length);
      try (Resp client = connect(LONG)) {
        assertThatExceptionOfType(SocketException.class)
            .isThrownBy(() -> client.call("INCR", "key"));
      }
      awaitNoConnection();
      assertThat(server.command("GET", "key")).isEqualTo(String.valueOf(i));
    }
  }

  @Test
  void aResetComesOnceAndNotAtZero() throws IOException {
    proxy.resetAfter(1);
    try (Resp client = connect(LONG)) {
      assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.call("PING"));
    }
    try (Resp client = connect(LONG)) {
      assertThat(client.call("PING")).isEqualTo("PONG");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> proxy.resetAfter(0));
  }

  @Test
  void aServerThatIsDownClosesConnections() throws IOException {
    try (RedisServer mortal = RedisServer.start();
        FaultProxy before = FaultProxy.to(mortal);
        Resp client = new Resp(before.port(), LONG)) {
      client.call("PING");
      mortal.kill();
      assertEnded(client);
      try (Resp next = new Resp(before.port(), LONG)) {
        assertEnded(next);
      }
    }
  }

  @Test
  void closingFreesEverything() throws IOException {
    try (Resp client = connect(LONG);
        Resp late = connect(LONG)) {
      client.call("PING");
      proxy.delay(Duration.ofHours(1));
      assertThat(proxy.connections()).isPositive();
      proxy.close();
      assertThat(proxy.connections()).isZero();
      assertEnded(client);
      assertEnded(late);
    }
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> connect(LONG));
    Waiting.until(
        "the server has only the connection that asks",
        LONG,
        () -> server.info("connected_clients").equals("1") ? "" : "more");
  }

  private Resp connect(Duration limit) throws IOException {
    return new Resp(proxy.port(), limit);
  }

  /** In order or not: the client learns of it at once. */
  private static void assertEnded(Resp client) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> client.call("INCR", "key"))
        .isNotInstanceOf(SocketTimeoutException.class);
  }

  private static void assertNoAnswer(Resp client) {
    assertThatExceptionOfType(SocketTimeoutException.class)
        .isThrownBy(() -> client.call("INCR", "key"));
  }

  private static void awaitCount(String count) {
    Waiting.until(
        "the key holds " + count,
        LONG,
        () -> {
          Object value = server.command("GET", "key");
          return count.equals(value) ? "" : Arrays.asList(value).toString();
        });
  }

  private void awaitNoConnection() {
    Waiting.until("no connection", LONG, () -> proxy.connections() == 0 ? "" : proxy.toString());
  }
}
