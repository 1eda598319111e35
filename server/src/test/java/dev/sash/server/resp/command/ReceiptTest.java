package dev.sash.server.resp.command;

import static dev.sash.server.resp.codec.ReplyReader.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.server.access.OperatorTokens;
import dev.sash.server.resp.RespOptions;
import dev.sash.server.resp.codec.ReplyReader;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receipts of charges, by which a client without any right can return permits. */
class ReceiptTest {
  private final TestConversation client =
      new TestConversation(
          RespOptions.builder()
              .tokens(OperatorTokens.of("kR7-adminOne-q2Wz9", "kR7-refundTwo-8vYt"))
              .build());

  @BeforeEach
  void stranger() {
    client.wire.peer = "192.0.2.1";
  }

  private String receipt(String line) {
    List<?> reply = (List<?>) client.askOne(line);
    assertThat(reply).hasSize(7);
    return Objects.requireNonNull(reply.get(6)).toString();
  }

  private Object remaining() {
    return ((List<?>) client.askOne("SASH.PEEK api ann")).get(2);
  }

  @Test
  void aReceiptReturnsItsPermitsOnceWithoutAnyRight() {
    String receipt = receipt("SASH.CHECK api ann 2 RECEIPT");
    assertThat(remaining()).isEqualTo(1L);
    assertThat(client.askOne("SASH.REFUND api ann RECEIPT " + receipt).toString())
        .startsWith("[1, 3, 3,");
    assertThat(client.askOne("SASH.REFUND api ann RECEIPT " + receipt))
        .isEqualTo(error("NOPERM the receipt has been used before"));
    assertThat(client.askOne("SASH.REFUND api ann").toString()).contains("NOPERM");
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void aReceiptMayReturnAPartOfItsPermits() {
    String receipt = receipt("sash.check api ann 3 receipt");
    assertThat(client.askOne("sash.refund api ann 1 receipt " + receipt).toString())
        .startsWith("[1, 3, 1,");
  }

  @Test
  void aReceiptIsNoRightForOtherKeysOrMorePermits() {
    String receipt = receipt("SASH.CHECK api ann RECEIPT");
    client.ask("SASH.CHECK api bob 3");
    for (String line :
        List.of(
            "SASH.REFUND api bob RECEIPT " + receipt,
            "SASH.REFUND cl-throttle ann RECEIPT " + receipt,
            "SASH.REFUND api ann 2 RECEIPT " + receipt,
            "SASH.REFUND api ann 0 RECEIPT " + receipt,
            "SASH.REFUND api ann RECEIPT " + receipt.substring(1),
            "SASH.REFUND api ann RECEIPT x",
            "SASH.REFUND api ann 1 2 RECEIPT",
            "SASH.REFUND api ann x RECEIPT " + receipt)) {
      assertThat(client.askOne(line)).as(line).isInstanceOf(ReplyReader.ErrorReply.class);
    }
    assertThat(remaining()).isEqualTo(2L);
  }

  @Test
  void aDenialHasNoReceipt() {
    List<?> reply = (List<?>) client.askOne("SASH.CHECK api ann 4 RECEIPT");
    assertThat(reply).hasSize(7).last().isNull();
  }

  @Test
  void transactionsIssueAndRedeemReceipts() {
    List<?> replies = client.ask("MULTI", "SASH.CHECK api ann 2 RECEIPT", "EXEC");
    List<?> check = (List<?>) ((List<?>) replies.get(2)).get(0);
    assertThat(client.ask("MULTI", "SASH.REFUND api ann RECEIPT " + check.get(6), "EXEC").get(2))
        .asString()
        .startsWith("[[1, 3, 3,");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SASH.CHECK api ann 1 2", "SASH.CHECK api ann 1 RECEIPTS"})
  void refusesOtherWords(String line) {
    assertThat(client.askOne(line)).isInstanceOf(ReplyReader.ErrorReply.class);
    assertThat(remaining()).isEqualTo(3L);
  }

  @Test
  void withoutASecretThereAreNoReceiptsAndNothingIsCharged() {
    TestConversation none =
        new TestConversation(RespOptions.defaults(), TestConversation.YAML, false);
    assertThat(none.askOne("SASH.CHECK api ann RECEIPT").toString())
        .contains("NOPERM receipts are not available: set SASH_RECEIPT_SECRET");
    assertThat(none.ask("MULTI", "SASH.CHECK api ann", "SASH.CHECK api ann RECEIPT", "EXEC").get(3))
        .asString()
        .contains("EXECABORT");
    assertThat(((List<?>) none.askOne("SASH.PEEK api ann")).get(2)).isEqualTo(3L);
  }
}
