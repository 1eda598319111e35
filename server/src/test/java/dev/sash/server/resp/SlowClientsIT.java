package dev.sash.server.resp;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.net.NetworkBounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Clients that begin requests and do not complete them, over sockets. */
@Timeout(120)
class SlowClientsIT {
  @RepeatedTest(3)
  void aClientThatDripsIsClosedByTheDeadlineOfTheRequest() throws Exception {
    RespOptions.Builder options = RespOptions.builder().requestTimeout(Duration.ofSeconds(1));
    try (TestServer server = new TestServer(options);
        RawClient slow = server.connect()) {
      slow.send("*2\r\n$4\r\nECHO\r\n$60000\r\n");
      CountDownLatch ended = new CountDownLatch(1);
      Thread dripping =
          new Thread(
              () -> {
                try {
                  while (!ended.await(20, TimeUnit.MILLISECONDS)) {
                    slow.send("x");
                  }
                } catch (IOException | InterruptedException e) {
                  // the server has closed the connection
                }
              });
      dripping.start();
      assertThat(slow.reply())
          .isEqualTo(error("ERR Protocol error: the rest of the request did not come in time"));
      ended.countDown();
      dripping.join();
      eventually(() -> server.unfinishedBytes() == 0);
    }
  }

  @RepeatedTest(20)
  void unfinishedRequestsShareOneBudgetAndCompleteOnesNeedNone() throws Exception {
    NetworkBounds bounds = new NetworkBounds(1_000, 200_000);
    List<RawClient> holders = new ArrayList<>();
    try (TestServer server = new TestServer(RespOptions.builder(), bounds)) {
      String beginning = "*2\r\n$4\r\nECHO\r\n$60000\r\n" + "x".repeat(30_000);
      RawClient refused = null;
      while (refused == null) {
        assertThat(holders).hasSizeLessThan(10);
        RawClient client = server.connect();
        long before = server.unfinishedBytes();
        client.send(beginning);
        // Over the budget, the connection ends; otherwise its bytes are counted.
        eventually(() -> server.unfinishedBytes() > before || refusals(server) > 0);
        if (server.unfinishedBytes() > before) {
          holders.add(client);
        } else {
          refused = client;
          assertThat(refused.reply())
              .isEqualTo(
                  error(
                      "ERR too many bytes of unfinished requests at this server, closing the"
                          + " connection"));
        }
        assertThat(server.unfinishedBytes()).isLessThanOrEqualTo(200_000);
      }
      refused.close();
      try (RawClient client = server.connect()) {
        assertThat(client.ask("PING")).isEqualTo("PONG");
      }
      assertThat(holders).isNotEmpty();
      holders.get(0).send("x".repeat(30_000) + "\r\n");
      assertThat(holders.get(0).reply()).isEqualTo("x".repeat(60_000));
      for (RawClient holder : holders) {
        holder.close();
      }
      eventually(() -> server.unfinishedBytes() == 0);
    }
  }

  @RepeatedTest(20)
  void oneAddressCannotTakeAllConnections() throws Exception {
    NetworkBounds bounds = new NetworkBounds(50, 1 << 20);
    RespOptions.Builder options = RespOptions.builder().maxConnections(100);
    List<RawClient> hostile = new ArrayList<>();
    try (TestServer server = new TestServer(options, bounds)) {
      for (int i = 0; i < 50; i++) {
        RawClient client = server.connectFrom(2);
        client.send("*1\r\n");
        hostile.add(client);
      }
      eventually(() -> server.connections() == 50);
      try (RawClient tooMany = server.connectFrom(2)) {
        assertThat(tooMany.repliesToTheEnd())
            .isEqualTo(List.of(error("ERR max number of clients from this address reached")));
      }
      try (RawClient other = server.connectFrom(3)) {
        assertThat(other.ask("PING")).isEqualTo("PONG");
      }
      for (RawClient client : hostile) {
        client.close();
      }
      eventually(() -> server.connections() == 0);
      try (RawClient again = server.connectFrom(2)) {
        assertThat(again.ask("PING")).isEqualTo("PONG");
      }
      assertThat(server.registry.get("sash.server.connections.refused").counter().count())
          .isEqualTo(1);
    }
  }

  private static double refusals(TestServer server) {
    return server
        .registry
        .get("sash.resp.commands")
        .tag("command", "unknown")
        .tag("outcome", "error")
        .counter()
        .count();
  }

  private static void eventually(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UncheckedIOException(new IOException(e));
      }
    }
  }
}
