package dev.sash.server.resp.command;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.sash.server.access.RespCredentials;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandsTest {
  private static final Object OK = "OK";

  private final TestConversation client = new TestConversation();

  @Test
  void checksAPolicy() {
    assertThat(client.askOne("SASH.CHECK api ann")).isEqualTo(reply(1, 3, 2, 0, 60_000));
    client.clock.advance(Duration.ofMillis(1_500));
    assertThat(client.askOne("sash.check api ann 2")).isEqualTo(reply(1, 3, 0, 0, 60_000));
    client.clock.advanceMicros(1);
    // Rounded up: 58,499,999 and 59,999,999 microseconds.
    assertThat(client.askOne("SASH.CHECK api ann")).isEqualTo(reply(0, 3, 0, 58_500, 60_000));
    assertThat(client.askOne("SASH.CHECK api bob 4")).isEqualTo(reply(0, 3, 3, -1, 0));
  }

  @Test
  void peeksRefundsAndResets() {
    client.ask("SASH.CHECK api ann 3");
    assertThat(client.askOne("SASH.PEEK api ann")).isEqualTo(reply(1, 3, 0, 0, 60_000));
    assertThat(client.askOne("SASH.REFUND api ann 2")).isEqualTo(reply(1, 3, 2, 0, 60_000));
    assertThat(client.askOne("SASH.REFUND api ann")).isEqualTo(reply(1, 3, 3, 0, 0));
    client.ask("SASH.CHECK api ann 3");
    assertThat(client.askOne("SASH.RESET api ann")).isEqualTo(OK);
    assertThat(client.askOne("SASH.PEEK api ann")).isEqualTo(reply(1, 3, 3, 0, 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SASH.CHECK nope ann               | NOPOLICY there is no policy 'nope'
          SASH.CHECK no\u001bpe ann         | NOPOLICY there is no policy '(not a policy's name)'
          SASH.CHECK api                    | ERR wrong number of arguments for 'sash.check' command
          SASH.CHECK api ann 1 2            | ERR syntax error
          SASH.CHECK api ann 1 RECEIPT 2    | ERR wrong number of arguments for 'sash.check' command
          SASH.CHECK api ann one            | ERR permits must be a whole number
          SASH.CHECK api ann -1             | ERR permits must be between 0 and 1000000000, was -1
          SASH.CHECK api ann 1000000001     | ERR permits must be between 0 and 1000000000, was 1000000001
          CL.THROTTLE ann 15 30             | ERR wrong number of arguments for 'cl.throttle' command
          CL.THROTTLE ann 15 30 60 1 1      | ERR wrong number of arguments for 'cl.throttle' command
          CL.THROTTLE ann -1 30 60          | ERR max_burst must be between 0 and 999999999, was -1
          CL.THROTTLE ann 1000000000 30 60  | ERR max_burst must be between 0 and 999999999, was 1000000000
          CL.THROTTLE ann 15 0 60           | ERR count must be between 1 and 1000000000, was 0
          CL.THROTTLE ann 15 30 0           | ERR period must be between 1 and 31622400, was 0
          CL.THROTTLE ann 15 30 31622401    | ERR period must be between 1 and 31622400, was 31622401
          CL.THROTTLE ann 15 30 60 -1       | ERR quantity must be between 0 and 1000000000, was -1
          CL.THROTTLE ann 15 3.5 60         | ERR count must be a whole number
          GET ann                           | ERR unknown command 'get': this is Sash, a rate limiter, not Redis; COMMAND LIST lists its commands
          g\u0007\u00e4t ann                | ERR unknown command 'g???t': this is Sash, a rate limiter, not Redis; COMMAND LIST lists its commands
          abcdefghijklmnopqrstuvwxyzabcdefg | ERR unknown command: this is Sash, a rate limiter, not Redis; COMMAND LIST lists its commands
          CLIENT KILL 1                     | ERR unknown subcommand of 'client'
          CLIENT SETNAME \u001b[0m          | ERR name must be at most 256 visible characters of ASCII without spaces
          COMMAND NONE                      | ERR unknown subcommand of 'command'
          CONFIG SET a b                    | ERR only CONFIG GET is understood
          AUTH secret                       | ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
          HELLO 4                           | NOPROTO unsupported protocol version
          HELLO 3 AUTH x                    | ERR syntax error in HELLO
          SELECT one                        | ERR database must be a whole number
          """)
  void refusesWhatItDoesNotUnderstandAndGoesOn(String line, String message) {
    assertThat(client.ask(line, "PING")).isEqualTo(List.of(error(message), "PONG"));
  }

  @Test
  void refusesKeysThatAreTooLongEmptyOrNotUtf8() {
    assertThat(client.askOne("SASH.CHECK api " + "x".repeat(1025)))
        .isEqualTo(error("ERR key must be between 1 and 1024 bytes of UTF-8, was 1025 bytes"));
    assertThat(client.askOne("CL.THROTTLE " + "x".repeat(1025) + " 15 30 31622400"))
        .isEqualTo(error("ERR key must be between 1 and 1024 bytes of UTF-8, was 1025 bytes"));
    assertThat(client.askOne("CL.THROTTLE " + "x".repeat(1024) + " 15 30 31622400"))
        .asInstanceOf(LIST)
        .hasSize(5);
    client.send("*3\r\n$10\r\nSASH.CHECK\r\n$3\r\napi\r\n$0\r\n\r\n");
    client.send("*5\r\n$11\r\nCL.THROTTLE\r\n$0\r\n\r\n$1\r\n1\r\n$1\r\n1\r\n$1\r\n1\r\n");
    assertThat(client.wire.replies())
        .isEqualTo(
            List.of(
                error("ERR key must be between 1 and 1024 bytes of UTF-8, was 0 bytes"),
                error("ERR key must be between 1 and 1024 bytes of UTF-8, was 0 bytes")));
    byte[] invalid = "SASH.CHECK api x\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    invalid[15] = (byte) 0xff;
    client.get().received(invalid);
    assertThat(client.wire.replies()).isEqualTo(List.of(error("ERR key must be UTF-8")));
  }

  @Test
  void wantsThePasswordFirst() {
    TestConversation guarded =
        new TestConversation(
            RespOptions.builder()
                .credentials(RespCredentials.of(RespCredentials.DEFAULT_USER, "secret"))
                .build());
    assertThat(guarded.ask("PING", "SASH.CHECK api ann", "get"))
        .containsOnly(error("NOAUTH Authentication required."));
    assertThat(guarded.ask("HELLO 3", "AUTH wrong", "AUTH other secret"))
        .isEqualTo(
            List.of(
                error("NOAUTH HELLO must come with AUTH, or after it"),
                error("WRONGPASS invalid username-password pair or user is disabled."),
                error("WRONGPASS invalid username-password pair or user is disabled.")));
    assertThat(guarded.ask("AUTH secret", "PING")).isEqualTo(List.of(OK, "PONG"));
    assertThat(guarded.ask("RESET", "PING"))
        .isEqualTo(List.of("RESET", error("NOAUTH Authentication required.")));
    assertThat(guarded.ask("HELLO 2 AUTH default secret SETNAME shop", "CLIENT GETNAME").get(1))
        .isEqualTo("shop");
  }

  @Test
  void takesLittleFromThoseWhoHaveNotToldThePassword() {
    TestConversation guarded =
        new TestConversation(
            RespOptions.builder()
                .credentials(RespCredentials.of(RespCredentials.DEFAULT_USER, "secret"))
                .build());
    String echo = "*2\r\n$4\r\nECHO\r\n$1025\r\n" + "x".repeat(1025) + "\r\n";
    guarded.send("AUTH secret\r\n" + echo);
    assertThat(guarded.wire.replies()).hasSize(2).doesNotHaveAnyElementsOfTypes(ERROR);
    guarded.send("RESET\r\n" + echo);
    assertThat(guarded.wire.replies())
        .isEqualTo(List.of("RESET", error("ERR Protocol error: invalid bulk length")));

    TestConversation silent =
        new TestConversation(
            RespOptions.builder()
                .credentials(RespCredentials.of(RespCredentials.DEFAULT_USER, "secret"))
                .build());
    silent.tick(32);
    assertThat(silent.wire.outputEnded).isTrue();
  }

  private static final Class<?> ERROR = ReplyReader.ErrorReply.class;

  @Test
  void greetsInBothVersions() {
    List<Object> flat =
        List.of(
            "server",
            "sash",
            "version",
            "7.2.0",
            "proto",
            2L,
            "id",
            7L,
            "mode",
            "standalone",
            "role",
            "master",
            "modules",
            List.of());
    assertThat(client.askOne("HELLO")).isEqualTo(flat);
    Object hello = client.askOne("HELLO 3");
    assertThat(hello).isInstanceOf(Map.class);
    assertThat(((Map<?, ?>) hello).get("proto")).isEqualTo(3L);
    assertThat(client.ask("CONFIG GET save appendonly nope", "CLIENT GETNAME", "HELLO 2"))
        .satisfiesExactly(
            config -> assertThat(config).isEqualTo(Map.of("save", "", "appendonly", "no")),
            name -> assertThat(name).isNull(),
            again -> assertThat(again).isEqualTo(flat));
  }

  @Test
  void answersInTheVersionThatHeldWhenItWasAsked() {
    client.ask("LATE a");
    client.ask("HELLO 3", "CLIENT GETNAME", "HELLO 2", "CLIENT GETNAME");
    client.decide(0);
    client.wire.runTasks();
    List<?> replies = client.wire.replies();
    assertThat(replies).hasSize(5);
    assertThat(replies.get(1)).isInstanceOf(Map.class);
    assertThat(replies.get(3)).isInstanceOf(List.class);
  }

  @Test
  void tellsOfTheConnection() {
    assertThat(
            client.ask(
                "CLIENT SETNAME shop",
                "CLIENT SETINFO LIB-NAME lettuce",
                "CLIENT SETINFO lib-ver 7.7",
                "CLIENT NO-EVICT on",
                "SELECT 5",
                "CLIENT ID",
                "CLIENT INFO"))
        .isEqualTo(
            List.of(
                OK,
                OK,
                OK,
                OK,
                OK,
                7L,
                "id=7 addr=127.0.0.1 name=shop db=0 lib-name=lettuce lib-ver=7.7" + " resp=2\n"));
  }

  @Test
  void tellsWhatItIsAndCanDo() {
    assertThat(client.askOne("INFO"))
        .asInstanceOf(STRING)
        .contains("redis_version:7.2.0\r\n", "loading:0\r\n", "connected_clients:1\r\n");
    assertThat(client.askOne("COMMAND LIST"))
        .asInstanceOf(LIST)
        .contains("sash.check", "cl.throttle", "hello");
    assertThat(client.askOne("COMMAND INFO sash.check nope"))
        .asInstanceOf(LIST)
        .satisfiesExactly(
            check ->
                assertThat(check)
                    .asInstanceOf(LIST)
                    .startsWith("sash.check", -3L, List.of("write", "fast"), 2L, 2L, 1L),
            nope -> assertThat(nope).isNull());
    long count = (Long) java.util.Objects.requireNonNull(client.askOne("COMMAND COUNT"));
    assertThat(client.askOne("COMMAND")).asInstanceOf(LIST).hasSize((int) count);
    assertThat(client.askOne("COMMAND DOCS")).asInstanceOf(LIST).hasSize(2 * (int) count);
    assertThat(client.askOne("COMMAND DOCS sash.peek nope"))
        .isEqualTo(
            List.of(
                "sash.peek",
                List.of(
                    "summary",
                    "Returns the state of a key",
                    "since",
                    "0.1.0",
                    "group",
                    "generic",
                    "arguments",
                    List.of(
                        List.of("name", "policy", "type", "string"),
                        List.of("name", "key", "type", "string")))));
  }

  @Test
  void endsWhatIsHttp() {
    assertThat(client.ask("GET / HTTP/1.1", "Host: 127.0.0.1:6390", "", "SASH.RESET api ann"))
        .isEqualTo(
            List.of(
                error(
                    "ERR unknown command 'get': this is Sash, a rate limiter, not Redis; COMMAND LIST lists its commands"),
                error("ERR this port expects RESP, not HTTP")));
    assertThat(client.wire.outputEnded).isTrue();
  }

  private static List<?> reply(
      long allowed, long limit, long remaining, long retryAfter, long resetAfter) {
    return List.of(allowed, limit, remaining, retryAfter, resetAfter, "store");
  }
}
