package dev.sash.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperatorTokensTest {
  private static final String ADMIN = "kR7-adminOne-q2Wz9";
  private static final String REFUND = "kR7-refundTwo-8vYt";

  @TempDir Path folder;

  @Test
  void theAdminTokenGrantsBothRightsAndTheRefundTokenOne() {
    OperatorTokens tokens = OperatorTokens.of(ADMIN, REFUND);
    assertThat(tokens.grants(ADMIN, Right.ADMIN)).isTrue();
    assertThat(tokens.grants(ADMIN, Right.REFUND)).isTrue();
    assertThat(tokens.grants(REFUND, Right.REFUND)).isTrue();
    assertThat(tokens.grants(REFUND, Right.ADMIN)).isFalse();
  }

  @Test
  void grantsNothingToAPartOfATokenOrToMoreThanIt() {
    OperatorTokens tokens = OperatorTokens.of(ADMIN, REFUND);
    for (String whole : new String[] {ADMIN, REFUND}) {
      for (int cut = 1; cut <= whole.length(); cut++) {
        for (Right right : Right.values()) {
          assertThat(tokens.grants(whole.substring(0, whole.length() - cut), right)).isFalse();
          assertThat(tokens.grants(whole.substring(cut), right)).isFalse();
        }
      }
      for (String more : new String[] {whole + "x", whole + " ", " " + whole, whole + whole}) {
        assertThat(tokens.grants(more, Right.REFUND)).isFalse();
      }
    }
    assertThat(tokens.grants(null, Right.REFUND)).isFalse();
    assertThat(tokens.grants("", Right.REFUND)).isFalse();
    assertThat(tokens.grants(ADMIN.toUpperCase(java.util.Locale.ROOT), Right.REFUND)).isFalse();
  }

  @Test
  void saysForWhichRightsATokenIsConfigured() {
    assertThat(OperatorTokens.none().isSet(Right.ADMIN)).isFalse();
    assertThat(OperatorTokens.none().isSet(Right.REFUND)).isFalse();
    assertThat(OperatorTokens.none().grants("", Right.REFUND)).isFalse();
    assertThat(OperatorTokens.of(ADMIN, null).isSet(Right.ADMIN)).isTrue();
    assertThat(OperatorTokens.of(ADMIN, null).isSet(Right.REFUND)).isTrue();
    assertThat(OperatorTokens.of(null, REFUND).isSet(Right.ADMIN)).isFalse();
    assertThat(OperatorTokens.of(null, REFUND).isSet(Right.REFUND)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "short",
        "fifteen-of-them",
        "change-me-32-characters-or-longer",
        "CHANGE_ME_CHANGE_ME",
        "changemechangeme",
        "changeme00000000",
        "secretsecretsecret",
        "my-secret-password",
        "admin-token-12345",
        "SASH_ADMIN_TOKEN",
        "example-example-1",
        "xxxxxxxxxxxxxxxxxxxx",
        "your token goes here",
        "0123456789abcdef",
        "1234567890123456",
        "k3Wq9k3Wq9k3Wq9k3Wq9",
        "kR7 adminOne q2Wz9",
        "kR7-adminOne-q2Wz9\n",
        "kR7-adminOne-q2Wzé"
      })
  void refusesTokensThatCanBeGuessedWithoutRepeatingThem(String bad) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperatorTokens.of(Map.of("SASH_ADMIN_TOKEN", bad)))
        .withMessageStartingWith("SASH_ADMIN_TOKEN must ")
        .withMessageContaining(" " + bad.length())
        .satisfies(
            e -> assertThat(bad.isEmpty() || !e.getMessage().substring(16).contains(bad)).isTrue());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperatorTokens.of(Map.of("SASH_REFUND_TOKEN", bad)))
        .withMessageStartingWith("SASH_REFUND_TOKEN must ");
  }

  @Test
  void acceptsRandomTokens() {
    Random random = new Random(42);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      String hex = HexFormat.of().formatHex(bytes);
      assertThat(OperatorTokens.of(hex, null).grants(hex, Right.ADMIN)).isTrue();
    }
  }

  @Test
  void refusesTheSameTokenForBothRights() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperatorTokens.of(ADMIN, ADMIN))
        .withMessage("SASH_REFUND_TOKEN must differ from SASH_ADMIN_TOKEN");
  }

  @Test
  void readsTokensFromFiles() throws IOException {
    Path admin = Files.writeString(folder.resolve("admin"), ADMIN + "\n");
    Path refund = Files.writeString(folder.resolve("refund"), REFUND + "\r\n");
    OperatorTokens tokens =
        OperatorTokens.of(
            Map.of(
                "SASH_ADMIN_TOKEN_FILE",
                admin.toString(),
                "SASH_REFUND_TOKEN_FILE",
                refund.toString()));
    assertThat(tokens.grants(ADMIN, Right.ADMIN)).isTrue();
    assertThat(tokens.grants(REFUND, Right.REFUND)).isTrue();
    assertThat(tokens).hasToString("OperatorTokens[admin=true, refund=true]");
  }

  @Test
  void refusesAFileThatIsNotThereAndOneBesideTheVariable() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OperatorTokens.of(Map.of("SASH_ADMIN_TOKEN_FILE", folder + "/nowhere")))
        .withMessageStartingWith("SASH_ADMIN_TOKEN_FILE must name a readable file, was '")
        .withMessageContaining("nowhere");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                OperatorTokens.of(
                    Map.of("SASH_ADMIN_TOKEN", ADMIN, "SASH_ADMIN_TOKEN_FILE", "somewhere")))
        .withMessage("SASH_ADMIN_TOKEN and SASH_ADMIN_TOKEN_FILE must not both be set");
  }
}
