package dev.sash.server.resp.command;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.access.RespCredentials;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyReader;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may use which command. */
class AccessTest {
  private static final String ADMIN = "kR7-adminOne-q2Wz9";
  private static final String REFUND = "kR7-refundTwo-8vYt";
  private static final Object OK = "OK";
  private static final Object WRONG =
      error("WRONGPASS invalid username-password pair or user is disabled.");
  private static final Object LAST =
      error("WRONGPASS too many wrong passwords from this network, closing the connection");
  private static final Object NOAUTH = error("NOAUTH Authentication required.");

  private static TestConversation withPassword() {
    return new TestConversation(
        RespOptions.builder().credentials(RespCredentials.of("shop", "secret")).build());
  }

  private static TestConversation withTokens() {
    return new TestConversation(
        RespOptions.builder().tokens(OperatorTokens.of(ADMIN, REFUND)).build());
  }

  private static TestConversation from(String peer, TestConversation client) {
    client.wire.peer = peer;
    return client;
  }

  @Test
  void beforeAuthEveryCommandIsRefusedButThoseThatAuthenticate() {
    List<?> all = (List<?>) new TestConversation().askOne("COMMAND LIST");
    assertThat(all).hasSizeGreaterThan(15);
    Set<String> open = new TreeSet<>();
    for (Object name : all) {
      for (String arguments : new String[] {"", " api ann", " ann 1 1 1"}) {
        TestConversation client = withPassword();
        if (!NOAUTH.equals(client.askOne(name + arguments))) {
          open.add(name.toString());
        }
        assertThat(peek(client, "AUTH shop secret").get(2)).isEqualTo(3L);
      }
    }
    assertThat(open).containsExactly("auth", "hello", "quit", "reset");
  }

  /** The state of api ann after lines that authenticate; over a new connection, if need be. */
  private static List<?> peek(TestConversation client, String... lines) {
    client.reconnect();
    client.ask(lines);
    return (List<?>) client.askOne("SASH.PEEK api ann");
  }

  @Test
  void withoutTokensClientsOnTheSameMachineMayRefundAndReset() {
    for (String here :
        new String[] {"127.0.0.1", "127.9.9.9", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"}) {
      TestConversation client = from(here, new TestConversation());
      client.ask("SASH.CHECK api ann 3");
      assertThat(client.askOne("SASH.REFUND api ann 2").toString()).startsWith("[1, 3, 2,");
      assertThat(client.askOne("SASH.RESET api ann")).isEqualTo(OK);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", ""})
  void withoutTokensNobodyElseMayNotEvenWithThePassword(String peer) {
    TestConversation client = from(peer, withPassword());
    client.ask("AUTH shop secret", "SASH.CHECK api ann 3");
    assertThat(client.askOne("SASH.REFUND api ann"))
        .isEqualTo(
            error("NOPERM only for clients on the server's machine; or set SASH_REFUND_TOKEN"));
    assertThat(client.askOne("SASH.RESET api ann"))
        .isEqualTo(
            error("NOPERM only for clients on the server's machine; or set SASH_ADMIN_TOKEN"));
    assertThat(((List<?>) client.askOne("SASH.PEEK api ann")).get(2)).isEqualTo(0L);
  }

  @Test
  void withTokensAlsoClientsOnTheSameMachineNeedThem() {
    TestConversation client = withTokens();
    client.ask("SASH.CHECK api ann 3");
    assertThat(client.askOne("SASH.REFUND api ann"))
        .isEqualTo(error("NOPERM needs AUTH sash-refund or sash-admin with its token"));
    assertThat(client.askOne("SASH.RESET api ann"))
        .isEqualTo(error("NOPERM needs AUTH sash-admin with its token"));
    assertThat(((List<?>) client.askOne("SASH.PEEK api ann")).get(2)).isEqualTo(0L);
  }

  @Test
  void theRefundTokenPermitsRefundsAndTheAdminTokenBoth() {
    TestConversation client = from("192.0.2.1", withTokens());
    client.ask("SASH.CHECK api ann 3");
    assertThat(client.askOne("AUTH sash-refund " + REFUND)).isEqualTo(OK);
    assertThat(client.askOne("SASH.REFUND api ann").toString()).startsWith("[1, 3, 1,");
    assertThat(client.askOne("SASH.RESET api ann").toString()).contains("NOPERM");
    assertThat(client.askOne("AUTH sash-admin " + ADMIN)).isEqualTo(OK);
    assertThat(client.askOne("SASH.RESET api ann")).isEqualTo(OK);
    client.ask("RESET");
    assertThat(client.askOne("SASH.REFUND api ann").toString()).contains("NOPERM");
    assertThat(client.askOne("HELLO 2 AUTH sash-admin " + ADMIN)).isInstanceOf(List.class);
    assertThat(client.askOne("SASH.REFUND api ann").toString()).startsWith("[1, 3, 3,");
  }

  @Test
  void noPartOfATokenAndNoOtherTokenPermitsAnything() {
    TestConversation client = withTokens();
    for (String wrong :
        new String[] {
          "sash-admin " + REFUND,
          "sash-admin " + ADMIN.substring(0, ADMIN.length() - 1),
          "sash-admin " + ADMIN + "x",
          "sash-refund " + REFUND.substring(1),
          "sash-refund x",
          "SASH-ADMIN x"
        }) {
      assertThat(client.askOne("AUTH " + wrong)).isInstanceOf(ReplyReader.ErrorReply.class);
    }
    assertThat(client.askOne("SASH.REFUND api ann").toString()).contains("NOPERM");
    assertThat(new TestConversation().askOne("AUTH sash-admin " + ADMIN)).isEqualTo(WRONG);
  }

  @Test
  void aTokenIsAlsoALogin() {
    TestConversation client =
        new TestConversation(
            RespOptions.builder()
                .credentials(RespCredentials.of("shop", "secret"))
                .tokens(OperatorTokens.of(null, REFUND))
                .build());
    assertThat(client.ask("PING", "AUTH sash-refund " + REFUND, "PING"))
        .isEqualTo(List.of(NOAUTH, OK, "PONG"));
    assertThat(client.ask("AUTH shop secret", "SASH.REFUND api ann").get(1).toString())
        .startsWith("[1, 3, 3,");
  }

  @Test
  void wrongPasswordsBeyondTheTwentiethEndTheConnection() {
    TestConversation client = from("192.0.2.1", withPassword());
    for (int i = 0; i < Authenticator.TRIES; i++) {
      assertThat(client.askOne("AUTH shop guess" + i)).isEqualTo(WRONG);
    }
    assertThat(client.ask("AUTH shop guess", "AUTH shop guess")).isEqualTo(List.of(LAST));
    assertThat(client.wire.outputEnded).isTrue();
  }

  @Test
  void theCorrectPasswordIsNeverLockedOut() {
    TestConversation client = from("192.0.2.1", withPassword());
    for (int i = 0; i < 100; i++) {
      client.reconnect();
      client.ask("AUTH shop guess" + i);
    }
    client.reconnect();
    assertThat(client.ask("AUTH shop secret", "PING")).isEqualTo(List.of(OK, "PONG"));
  }

  @Test
  void countsWrongPasswordsByTheNetworkOfAnIpv6Client() {
    TestConversation client = withPassword();
    for (int i = 0; i < Authenticator.TRIES; i++) {
      from("2001:db8:0:1::" + Integer.toHexString(i + 1), client).reconnect();
      assertThat(client.askOne("AUTH shop guess")).isEqualTo(WRONG);
    }
    from("2001:db8:0:1:ffff::1", client).reconnect();
    assertThat(client.askOne("AUTH shop guess")).isEqualTo(LAST);
    from("2001:db8:0:2::1", client).reconnect();
    assertThat(client.askOne("AUTH shop guess")).isEqualTo(WRONG);
    from("192.0.2.7", client).reconnect();
    assertThat(client.askOne("AUTH shop guess")).isEqualTo(WRONG);
  }

  @Test
  void clThrottleNeedsAdHocLimits() {
    TestConversation strict = new TestConversation(RespOptions.defaults(), TestConversation.YAML);
    Object refused =
        error(
            "NOPERM CL.THROTTLE brings its own limit: set ad-hoc-limits: true in the"
                + " configuration");
    assertThat(strict.askOne("CL.THROTTLE ann 15 30 60")).isEqualTo(refused);
    assertThat(strict.ask("MULTI", "CL.THROTTLE ann 15 30 60", "EXEC").get(2).toString())
        .contains("EXECABORT");
    assertThat(strict.askOne("SASH.CHECK api ann")).isInstanceOf(List.class);
  }
}
