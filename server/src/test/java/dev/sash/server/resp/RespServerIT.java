package dev.sash.server.resp;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.sash.server.access.RespCredentials;
import dev.sash.server.resp.codec.ReplyReader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may come over a socket. */
@Timeout(120)
class RespServerIT {
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = new TestServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void answersAPipelineInOrder() throws IOException {
    try (RawClient client = server.connect()) {
      for (int i = 0; i < 2_000; i++) {
        client.send(RawClient.request("SASH.CHECK", "wide", "pipeline", "1"));
        client.send("PING " + i + "\r\n");
      }
      for (int i = 0; i < 2_000; i++) {
        assertThat(client.reply()).asInstanceOf(LIST).element(2).isEqualTo(999_999L - i);
        assertThat(client.reply()).isEqualTo(Integer.toString(i));
      }
    }
  }

  @Test
  void answersWhoSendsByteByByte() throws IOException {
    try (RawClient client = server.connect()) {
      for (byte b : RawClient.request("SASH.CHECK", "api", "slow sender")) {
        client.send(new byte[] {b});
      }
      assertThat(client.reply()).isEqualTo(List.of(1L, 3L, 2L, 0L, 3_600_000L, "store"));
    }
  }

  @Test
  void answersWhoHasClosedItsHalf() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("PING\r\nSASH.PEEK api half\r\nPI");
      client.endOutput();
      assertThat(client.repliesToTheEnd())
          .isEqualTo(List.of("PONG", List.of(1L, 3L, 3L, 0L, 0L, "store")));
    }
  }

  @Test
  void endsWhoClosesItsHalfWithoutAWord() throws IOException {
    try (RawClient client = server.connect()) {
      client.endOutput();
      assertThat(client.repliesToTheEnd()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1\r\n*1\r\n$4\r\nPING\r\n",
        "*1000000000\r\n",
        "*1\r\n$1000000000\r\n",
        "\u0016\u0003\u0001*\r\n*x\r\n",
        "*1\r\n$4\r\nPINGPING",
        "\"\r\n"
      })
  void saysWhatIsWrongWithGarbageAndEnds(String garbage) throws IOException {
    try (RawClient client = server.connect()) {
      client.send(garbage);
      List<?> replies = client.repliesToTheEnd();
      assertThat(replies).isNotEmpty();
      assertThat(replies.get(replies.size() - 1))
          .isInstanceOfSatisfying(
              ReplyReader.ErrorReply.class,
              error -> assertThat(error.message()).startsWith("ERR Protocol error: "));
    }
  }

  /** Who closes with something unread takes back the reply: the rest must be read, too. */
  @RepeatedTest(20)
  void theErrorArrivesAlsoIfGarbageGoesOnComing() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("PING\r\n*x" + "garbage".repeat(20_000));
      client.endOutput();
      assertThat(client.repliesToTheEnd())
          .isEqualTo(List.of("PONG", error("ERR Protocol error: invalid multibulk length")));
    }
  }

  @Test
  void endsWhoDoesNotFinishARequestOrSaysNothing() throws IOException {
    RespOptions.Builder options =
        RespOptions.builder()
            .requestTimeout(Duration.ofSeconds(1))
            .idleTimeout(Duration.ofSeconds(3));
    try (TestServer strict = new TestServer(options);
        RawClient slow = strict.connect();
        RawClient idle = strict.connect()) {
      slow.send("*1\r\n$4\r\nPI");
      assertThat(slow.repliesToTheEnd())
          .isEqualTo(
              List.of(error("ERR Protocol error: the rest of the request did not come in time")));
      assertThat(idle.repliesToTheEnd()).isEmpty();
    }
  }

  @Test
  void endsWhoDoesNotReadItsReplies() throws IOException {
    Duration second = Duration.ofSeconds(1);
    try (TestServer strict = new TestServer(RespOptions.builder().requestTimeout(second));
        RawClient deaf = strict.connect()) {
      byte[] docs = "COMMAND DOCS\r\n".repeat(1_000).getBytes(US_ASCII);
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(
              () -> {
                // A bound in case nobody objects; the buffers between the two hold far less.
                for (int i = 0; i < 100_000; i++) {
                  deaf.send(docs);
                }
              });
      eventually("the connection is gone", () -> strict.connections() == 0);
    }
  }

  @Test
  void sendsAwayWhoIsOneTooMany() throws IOException {
    try (TestServer small = new TestServer(RespOptions.builder().maxConnections(2))) {
      try (RawClient one = small.connect();
          RawClient two = small.connect()) {
        assertThat(one.ask("PING")).isEqualTo("PONG");
        assertThat(two.ask("PING")).isEqualTo("PONG");
        try (RawClient three = small.connect()) {
          assertThat(three.repliesToTheEnd())
              .isEqualTo(List.of(error("ERR max number of clients reached")));
        }
        assertThat(one.ask("PING")).isEqualTo("PONG");
      }
      eventually("there is room again", () -> small.connections() == 0);
      try (RawClient again = small.connect()) {
        assertThat(again.ask("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void serves1000ConnectionsAndForgetsThem() throws IOException {
    try (TestServer many = new TestServer()) {
      List<RawClient> clients = new ArrayList<>();
      try {
        for (int i = 0; i < 1_000; i++) {
          clients.add(many.connect());
        }
        for (RawClient client : clients) {
          client.send(RawClient.request("SASH.CHECK", "crowd", "everybody"));
        }
        int allowed = 0;
        for (RawClient client : clients) {
          allowed += client.reply() instanceof List<?> reply && reply.get(0).equals(1L) ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(500);
        assertThat(many.connections()).isEqualTo(1_000);
      } finally {
        for (RawClient client : clients) {
          client.close();
        }
      }
      eventually("all connections are gone", () -> many.connections() == 0);
    }
  }

  @Test
  void wantsThePassword() throws IOException {
    try (TestServer guarded =
            new TestServer(
                RespOptions.builder().credentials(RespCredentials.of("shop", "secret")));
        RawClient client = guarded.connect()) {
      assertThat(client.ask("PING")).isEqualTo(error("NOAUTH Authentication required."));
      assertThat(client.ask("AUTH", "shop", "guess"))
          .isEqualTo(error("WRONGPASS invalid username-password pair or user is disabled."));
      assertThat(client.ask("AUTH", "shop", "secret")).isEqualTo("OK");
      assertThat(client.ask("PING")).isEqualTo("PONG");
    }
  }

  /** What redis-py 8 sends first, over RESP2 and RESP3. */
  @Test
  void answersTheHandshakeOfRedisPy() throws IOException {
    try (RawClient client = server.connect()) {
      assertThat(client.ask("CLIENT", "SETNAME", "shop")).isEqualTo("OK");
      assertThat(client.ask("CLIENT", "SETINFO", "LIB-NAME", "redis-py")).isEqualTo("OK");
      assertThat(client.ask("CLIENT", "SETINFO", "LIB-VER", "8.1.0")).isEqualTo("OK");
      assertThat(client.ask("SELECT", "1")).isEqualTo("OK");
      assertThat(client.ask("HELLO", "3")).isInstanceOf(Map.class);
      // Newer ones ask for notices of maintenance, and take no for an answer.
      assertThat(client.ask("CLIENT", "MAINT_NOTIFICATIONS", "ON"))
          .isEqualTo(error("ERR unknown subcommand of 'client'"));
    }
  }

  /** What ioredis sends first, in one piece. */
  @Test
  void answersTheHandshakeOfIoredis() throws IOException {
    try (RawClient client = server.connect()) {
      client.send(RawClient.request("select", "2"));
      client.send(RawClient.request("client", "setname", "shop"));
      client.send(RawClient.request("client", "SETINFO", "LIB-NAME", "ioredis"));
      client.send(RawClient.request("client", "SETINFO", "LIB-VER", "6.0.0"));
      client.send(RawClient.request("info"));
      assertThat(client.replies(4)).containsOnly("OK");
      assertThat(client.reply()).asString().contains("loading:0\r\n");
      assertThat(client.ask("quit")).isEqualTo("OK");
      assertThat(client.repliesToTheEnd()).isEmpty();
    }
  }

  @RepeatedTest(20)
  void answersWhatItHasReadWhenItCloses() throws IOException {
    try (TestServer closing = new TestServer()) {
      Future<Void> closed;
      try (RawClient client = closing.connect();
          RawClient idle = closing.connect()) {
        client.send("SASH.PEEK api ann\r\n" + "PING\r\n".repeat(1_000));
        assertThat(client.reply()).asInstanceOf(LIST).hasSize(6);
        closed = closing.server().close();
        assertThat(client.repliesToTheEnd())
            .hasSizeLessThanOrEqualTo(1_000)
            .allMatch("PONG"::equals);
        assertThat(idle.repliesToTheEnd()).isEmpty();
      }
      TestServer.await(closed);
      awaitRefusal(closing);
    }
  }

  /** The JVM gives the port back only when the acceptor's selector has been round once more. */
  private static void awaitRefusal(TestServer closed) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() < end) {
      try (RawClient tooLate = closed.connect()) {
        assertThat(tooLate.repliesToTheEnd()).isEmpty();
      } catch (ConnectException e) {
        return;
      } catch (SocketException e) {
        // reset: nobody took it
      }
    }
    fail("the port is still open");
  }

  @Test
  void listensOnceAndSaysIfThePortIsTaken() {
    assertThatIllegalStateException().isThrownBy(() -> server.server().listen());
    try (TestServer other = new TestServer()) {
      RespOptions taken = RespOptions.builder().port(other.port()).build();
      Vertx vertx = Vertx.vertx();
      Future<Integer> listening = new RespServer(vertx, other.engine(), taken).listen();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(
              () -> listening.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS))
          .withCauseInstanceOf(BindException.class);
      TestServer.await(vertx.close());
    }
  }

  private static void eventually(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UncheckedIOException(new IOException(e));
      }
    }
  }
}
