package dev.sash.server.resp.command;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyReader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ConversationTest {
  private final TestConversation client = new TestConversation();
  private final TestWire wire = client.wire;

  @Test
  void answersAPipelineInOnePiece() {
    assertThat(client.ask("PING", "ECHO a", "SASH.PEEK api ann", "PING b"))
        .isEqualTo(List.of("PONG", "a", List.of(1L, 3L, 3L, 0L, 0L, "store"), "b"));
    assertThat(wire.sends).isEqualTo(1);
  }

  @Test
  void keepsTheOrderHoweverLateADecisionIs() {
    assertThat(client.ask("PING", "LATE a", "PING b", "LATE c", "SASH.CHECK nope x"))
        .isEqualTo(List.of("PONG"));
    client.decide(1);
    wire.runTasks();
    assertThat(wire.replies()).isEmpty();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies())
        .isEqualTo(List.of("a", "b", "c", error("NOPOLICY there is no policy 'nope'")));
    assertThat(client.ask("PING")).isEqualTo(List.of("PONG"));
  }

  @Test
  void wakesOnceForDecisionsThatComeTogether() {
    client.ask("LATE a", "LATE b", "LATE c");
    client.decide(2);
    client.decide(0);
    client.decide(1);
    assertThat(wire.runTasks()).isEqualTo(1);
    assertThat(wire.replies()).isEqualTo(List.of("a", "b", "c"));
    assertThat(wire.sends).isEqualTo(1);
  }

  @Test
  void repliesThatADecisionFailedAndNotWhy() {
    client.ask("LATE a", "LATE b", "LATE c");
    client.fail(0, new CompletionException(new IllegalStateException("secret")));
    client.fail(1, new IllegalArgumentException("permits must be fewer"));
    client.decide(2);
    wire.runTasks();
    assertThat(wire.replies())
        .isEqualTo(
            List.of(
                error("UNAVAILABLE cannot be decided at the moment"),
                error("ERR permits must be fewer"),
                "c"));
  }

  @Test
  void repliesEvenIfTheReplyCannotBeWritten() {
    client.ask("LATE unwritable", "PING");
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies())
        .isEqualTo(List.of(error("UNAVAILABLE cannot be decided at the moment"), "PONG"));
  }

  @Test
  void readsNoMoreWhileTooManyDecisionsAreDue() {
    TestConversation busy = new TestConversation(RespOptions.builder().maxPending(2).build());
    assertThat(busy.ask("LATE a", "LATE b", "PING c", "LATE d")).isEmpty();
    assertThat(busy.wire.paused).isTrue();
    busy.decide(0);
    busy.wire.runTasks();
    // c took the room of a, and d waits for the next.
    assertThat(busy.wire.replies()).isEqualTo(List.of("a"));
    assertThat(busy.wire.paused).isTrue();
    busy.decide(1);
    busy.wire.runTasks();
    assertThat(busy.wire.replies()).isEqualTo(List.of("b", "c"));
    assertThat(busy.wire.paused).isFalse();
    busy.decide(2);
    busy.wire.runTasks();
    assertThat(busy.wire.replies()).isEqualTo(List.of("d"));
  }

  @Test
  void readsNoMoreWhileLongRepliesQueue() {
    client.ask("LATE a");
    for (int i = 0; i < 1000 && !wire.paused; i++) {
      client.ask("COMMAND DOCS");
    }
    assertThat(wire.paused).isTrue();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.paused).isFalse();
  }

  @Test
  void readsNoMoreWhileTheClientDoesNotTakeItsReplies() {
    wire.full = true;
    assertThat(client.ask("PING")).isEmpty();
    assertThat(wire.paused).isTrue();
    wire.full = false;
    client.get().drained();
    assertThat(wire.replies()).isEqualTo(List.of("PONG"));
    assertThat(wire.paused).isFalse();
  }

  /** As a socket does that was full for a moment. */
  @Test
  void repliesOnceAlsoIfSendingCallsBack() {
    wire.onSend = () -> client.get().drained();
    client.send("PING\r\n" + "COMMAND DOCS\r\n".repeat(100) + "PING\r\n");
    assertThat(wire.replies()).hasSize(102).startsWith("PONG").endsWith("PONG");
  }

  @Test
  void sendsLongRepliesPieceByPiece() {
    client.send("COMMAND DOCS\r\n".repeat(100));
    assertThat(wire.sends).isGreaterThan(2);
    assertThat(wire.replies()).hasSize(100);
  }

  @Test
  void answersWhatCameBeforeGarbageThenSaysWhatIsWrongAndEnds() {
    assertThat(client.ask("LATE a", "*x", "PING")).isEmpty();
    assertThat(wire.outputEnded).isFalse();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies())
        .isEqualTo(List.of("a", error("ERR Protocol error: invalid multibulk length")));
    assertThat(wire.outputEnded).isTrue();
    assertThat(client.ask("PING")).isEmpty();
  }

  @Test
  void quitEndsBehindWhatWasAskedBefore() {
    assertThat(client.ask("LATE a", "QUIT", "PING")).isEmpty();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies()).isEqualTo(List.of("a", "OK"));
    assertThat(wire.outputEnded).isTrue();
  }

  @Test
  void answersAClientThatOnlyListensAnyMore() {
    assertThat(client.ask("LATE a", "PING")).isEmpty();
    client.get().finish();
    assertThat(wire.outputEnded).isFalse();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies()).isEqualTo(List.of("a", "PONG"));
    assertThat(wire.outputEnded).isTrue();
  }

  @Test
  void finishesAlsoWhatItHadNotBegunToAnswer() {
    TestConversation busy = new TestConversation(RespOptions.builder().maxPending(1).build());
    assertThat(busy.ask("LATE a", "PING")).isEmpty();
    busy.get().finish();
    assertThat(busy.wire.outputEnded).isFalse();
    busy.decide(0);
    busy.wire.runTasks();
    assertThat(busy.wire.replies()).isEqualTo(List.of("a", "PONG"));
    assertThat(busy.wire.outputEnded).isTrue();
  }

  @Test
  void sendsNothingToAClientThatHasGone() {
    client.ask("LATE a");
    client.get().closed();
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies()).isEmpty();
  }

  @Test
  void endsAClientThatNeverFinishesItsRequest() {
    client.send("*2\r\n$4\r\nPI");
    client.tick(20);
    client.send("N");
    client.tick(11);
    assertThat(wire.replies()).isEmpty();
    client.tick(1);
    assertThat(wire.replies())
        .isEqualTo(
            List.of(error("ERR Protocol error: the rest of the request did not come in time")));
    assertThat(wire.outputEnded).isTrue();
    client.tick(2);
    assertThat(wire.closed).isFalse();
    client.tick(1);
    assertThat(wire.closed).isTrue();
  }

  @Test
  void givesEveryRequestItsOwnTime() {
    for (int i = 0; i < 10; i++) {
      client.send("PING\r\nPI");
      client.tick(20);
      client.send("NG\r\nP");
      client.tick(20);
      client.send("ING\r\n");
    }
    assertThat(wire.replies()).hasSize(30);
    assertThat(wire.outputEnded).isFalse();
  }

  @Test
  void endsAClientThatIsIdle() {
    client.tick(600);
    assertThat(wire.outputEnded).isFalse();
    client.ask("PING");
    client.tick(600);
    assertThat(wire.outputEnded).isFalse();
    client.tick(1);
    assertThat(wire.outputEnded).isTrue();
    assertThat(wire.replies()).isEmpty();
  }

  @Test
  void letsAClientIdleForEverIfSoConfigured() {
    TestConversation idle =
        new TestConversation(RespOptions.builder().idleTimeout(Duration.ZERO).build());
    idle.tick(1_000_000);
    assertThat(idle.wire.outputEnded).isFalse();
  }

  @Test
  void waitsForTheEngineHoweverLong() {
    client.ask("LATE a");
    client.tick(10_000);
    client.decide(0);
    wire.runTasks();
    assertThat(wire.replies()).isEqualTo(List.of("a"));
  }

  @Test
  void closesOnAClientThatDoesNotTakeItsReplies() {
    client.ask("PING");
    wire.full = true;
    client.ask("PING");
    client.tick(31);
    assertThat(wire.closed).isFalse();
    client.tick(1);
    assertThat(wire.closed).isTrue();
  }

  @Test
  void countsCommandsAndNeverTellsKeys() {
    client.ask("SASH.CHECK api secret", "SASH.CHECK nope secret", "secret", "*x");
    assertThat(count("sash.check", "ok")).isEqualTo(1);
    assertThat(count("sash.check", "error")).isEqualTo(1);
    assertThat(count("unknown", "error")).isEqualTo(2);
    assertThat(client.registry.getMetersAsString()).doesNotContain("secret");
  }

  private double count(String command, String outcome) {
    return client
        .registry
        .get("sash.resp.commands")
        .tag("command", command)
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  @Test
  void holdsUnfinishedRequestsAndTransactionsWithinTheBudget() {
    TestConversation client = new TestConversation();
    client.send("PING\r\nPI");
    assertThat(client.budget.used()).isBetween(2L, 100L);
    client.send("NG\r\n");
    assertThat(client.budget.used()).isZero();
    assertThat(client.wire.replies()).isEqualTo(List.of("PONG", "PONG"));

    client.ask("MULTI", "ECHO " + "x".repeat(60_000), "ECHO " + "x".repeat(60_000));
    assertThat(client.budget.used()).isBetween(120_000L, 130_000L);
    client.ask("DISCARD");
    assertThat(client.budget.used()).isZero();

    String echo = "ECHO " + "x".repeat(60_000);
    client.ask("MULTI");
    for (int i = 0; i < 60; i++) {
      client.ask(echo);
    }
    long held = client.budget.used();
    client.reconnect();
    client.ask("MULTI");
    Object last = "QUEUED";
    for (int i = 0; i < 60 && "QUEUED".equals(last); i++) {
      List<?> replies = client.ask(echo);
      last = replies.get(replies.size() - 1);
      assertThat(client.budget.used()).isBetween(held, 5L << 20);
    }
    assertThat(last)
        .isEqualTo(
            ReplyReader.error(
                "ERR too many bytes of unfinished requests at this server, closing the connection"));
    assertThat(client.wire.outputEnded).isTrue();
    assertThat(client.budget.used()).isEqualTo(held);

    client.reconnect();
    client.send("PI");
    client.get().closed();
    assertThat(client.budget.used()).isEqualTo(held);
  }
}
