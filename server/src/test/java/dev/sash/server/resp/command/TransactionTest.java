package dev.sash.server.resp.command;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyReader;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionTest {
  private static final Object ABORTED =
      error("EXECABORT Transaction discarded because of previous errors.");

  private final TestConversation client = new TestConversation();

  @Test
  void executesWhatWasQueuedInOrderAndRepliesWithOneArray() {
    assertThat(client.ask("MULTI", "SASH.CHECK api ann 2", "PING", "CL.THROTTLE ann 4 1 60"))
        .isEqualTo(List.of("OK", "QUEUED", "QUEUED", "QUEUED"));
    assertThat(client.askOne("EXEC"))
        .isEqualTo(
            List.of(
                List.of(1L, 3L, 1L, 0L, 60_000L, "store"), "PONG", List.of(0L, 5L, 4L, -1L, 60L)));
    assertThat(remaining()).isEqualTo(1L);
  }

  @Test
  void chargesNothingBeforeExec() {
    client.ask("MULTI", "SASH.CHECK api ann 2");
    TestConversation other = client;
    other.reconnect();
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void executesAnEmptyTransaction() {
    assertThat(client.ask("MULTI", "EXEC")).isEqualTo(List.of("OK", List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET ann",
        "SASH.CHECK api",
        "SASH.CHECK nope ann",
        "SASH.CHECK api ann one",
        "SASH.CHECK api ann -1",
        "SASH.CHECK api ann 1000000001",
        "CL.THROTTLE ann 15 0 60",
        "CL.THROTTLE ann 15 30 60 -1",
        "SASH.RESET api",
        "HELLO 3",
        "AUTH secret",
        "INFO",
        "COMMAND",
        "CONFIG GET save",
        "MULTI",
        "WATCH ann",
        "EXEC now"
      })
  void chargesNothingIfACommandWasRefused(String refused) {
    client.ask("MULTI", "SASH.CHECK api ann 2");
    assertThat(client.askOne(refused)).isInstanceOf(ReplyReader.ErrorReply.class);
    assertThat(client.ask("SASH.CHECK api ann", "EXEC")).isEqualTo(List.of("QUEUED", ABORTED));
    assertThat(remaining()).isEqualTo(3L);
    assertThat(client.askOne("EXEC")).isEqualTo(error("ERR EXEC without MULTI"));
  }

  @Test
  void chargesNothingIfAKeyIsTooLong() {
    client.ask("MULTI", "SASH.CHECK api ann");
    assertThat(client.askOne("SASH.CHECK api " + "x".repeat(1025)))
        .isEqualTo(error("ERR key must be between 1 and 1024 bytes of UTF-8, was 1025 bytes"));
    assertThat(client.askOne("EXEC")).isEqualTo(ABORTED);
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void chargesNothingIfTheClientMayNotUseOneCommand() {
    client.wire.peer = "192.0.2.1";
    client.ask("MULTI", "SASH.CHECK api ann");
    assertThat(client.askOne("SASH.RESET api bob").toString()).contains("NOPERM");
    assertThat(client.askOne("EXEC")).isEqualTo(ABORTED);
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void discards() {
    assertThat(client.ask("MULTI", "SASH.CHECK api ann", "DISCARD", "EXEC", "DISCARD"))
        .isEqualTo(
            List.of(
                "OK",
                "QUEUED",
                "OK",
                error("ERR EXEC without MULTI"),
                error("ERR DISCARD without MULTI")));
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void watchesNothing() {
    assertThat(client.ask("WATCH ann bob", "UNWATCH", "MULTI", "UNWATCH", "EXEC"))
        .isEqualTo(List.of("OK", "OK", "OK", "QUEUED", List.of("OK")));
  }

  @Test
  void quitAndResetEndATransaction() {
    assertThat(client.ask("MULTI", "SASH.CHECK api ann", "RESET", "EXEC"))
        .isEqualTo(List.of("OK", "QUEUED", "RESET", error("ERR EXEC without MULTI")));
    assertThat(client.ask("MULTI", "SASH.CHECK api ann", "QUIT"))
        .isEqualTo(List.of("OK", "QUEUED", "OK"));
    assertThat(client.wire.outputEnded).isTrue();
    client.reconnect();
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void keepsTheOrderOfRepliesThatComeLate() {
    client.send(
        "LATE first\r\nMULTI\r\nLATE second\r\nPING two\r\nLATE third\r\nEXEC\r\nPING after\r\n");
    for (int decided : new int[] {2, 0, 1}) {
      client.decide(decided);
      client.wire.runTasks();
    }
    assertThat(client.wire.replies())
        .isEqualTo(
            List.of(
                "first",
                "OK",
                "QUEUED",
                "QUEUED",
                "QUEUED",
                List.of("second", "two", "third"),
                "after"));
  }

  @Test
  void aCommandThatFailsWhenExecutedLeavesItsErrorInItsPlace() {
    client.send("MULTI\r\nLATE one\r\nPING\r\nEXEC\r\n");
    client.fail(0, new IllegalStateException("secret"));
    client.wire.runTasks();
    assertThat(client.wire.replies().get(3))
        .isEqualTo(List.of(error("UNAVAILABLE cannot be decided at the moment"), "PONG"));
  }

  @Test
  void executesNoMoreAtATimeThanMayWait() {
    TestConversation few = new TestConversation(RespOptions.builder().maxPending(10).build());
    few.send("MULTI\r\n" + "LATE x\r\n".repeat(100) + "EXEC\r\nPING\r\n");
    for (int decided = 0; decided < 100; decided++) {
      assertThat(few.late()).isEqualTo(Math.min(100, decided + 10));
      few.decide(decided);
      few.wire.runTasks();
    }
    assertThat(few.wire.replies()).hasSize(103).endsWith(Collections.nCopies(100, "x"), "PONG");
    assertThat(few.budget.used()).isZero();
  }

  @Test
  void isBoundedInCommands() {
    client.ask("MULTI");
    String all = "PING\r\n".repeat(Transaction.MAX_COMMANDS);
    client.send(all);
    assertThat(client.wire.replies()).hasSize(Transaction.MAX_COMMANDS).containsOnly("QUEUED");
    assertThat(client.askOne("SASH.CHECK api ann"))
        .isEqualTo(error("ERR a transaction must have at most 10000 commands and 4194304 bytes"));
    assertThat(client.askOne("EXEC")).isEqualTo(ABORTED);
    client.ask("MULTI");
    client.send(all + "EXEC\r\n");
    List<?> replies = client.wire.replies();
    assertThat(replies.get(replies.size() - 1)).asInstanceOf(LIST).hasSize(10_000);
  }

  @Test
  void isBoundedInBytes() {
    client.ask("MULTI");
    String echo = "ECHO " + "x".repeat(60_000);
    Object reply = "QUEUED";
    int queued = 0;
    for (; "QUEUED".equals(reply); queued++) {
      reply = client.askOne(echo);
    }
    assertThat(queued).isBetween(69, 70);
    assertThat(client.ask(echo, "EXEC")).isEqualTo(List.of("QUEUED", ABORTED));
  }

  @Test
  void endsAConnectionThatDoesNotComeToAnEnd() {
    client.ask("MULTI");
    for (int i = 0; i < 31; i++) {
      assertThat(client.askOne("PING")).isEqualTo("QUEUED");
      client.tick(1);
    }
    client.tick(1);
    assertThat(client.wire.replies())
        .isEqualTo(
            List.of(error("ERR Protocol error: the rest of the request did not come in time")));
    assertThat(client.wire.outputEnded).isTrue();
  }

  private Object remaining() {
    client.wire.peer = "127.0.0.1";
    return ((List<?>) client.askOne("SASH.PEEK api ann")).get(2);
  }
}
