package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What keeps the server from starting is said in one line. */
class ServeTest {
  private static String refusal(Map<String, String> environment) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(printed, true, UTF_8);
    int code = Serve.run(List.of("--port", "0", "--resp-port", "0"), environment, both, both);
    assertThat(code).isEqualTo(Main.FAILED);
    return printed.toString(UTF_8);
  }

  @Test
  void refusesTokensThatCanBeGuessed() {
    assertThat(refusal(Map.of("SASH_ADMIN_TOKEN", "change-me-32-characters-or-longer")))
        .isEqualTo(
            "sash: cannot serve: SASH_ADMIN_TOKEN must be random, at least 16 characters; is a"
                + " placeholder, a repetition or a sequence of 33 characters\n");
    assertThat(refusal(Map.of("SASH_REFUND_TOKEN", "tooshort")))
        .isEqualTo(
            "sash: cannot serve: SASH_REFUND_TOKEN must have between 16 and 1024 characters, has"
                + " 8\n");
    assertThat(refusal(Map.of("SASH_ADMIN_TOKEN", "")))
        .isEqualTo(
            "sash: cannot serve: SASH_ADMIN_TOKEN must have between 16 and 1024 characters, has"
                + " 0\n");
  }

  @Test
  void refusesAnEmptyPassword() {
    assertThat(refusal(Map.of("SASH_RESP_PASSWORD", "")))
        .isEqualTo(
            "sash: cannot serve: SASH_RESP_PASSWORD must not be empty; unset it for no password\n");
  }

  @Test
  void refusesFilesThatAreNotThere() {
    for (String variable :
        List.of(
            "SASH_ADMIN_TOKEN_FILE",
            "SASH_REFUND_TOKEN_FILE",
            "SASH_RESP_PASSWORD_FILE",
            "SASH_REDIS_PASSWORD_FILE")) {
      assertThat(refusal(Map.of(variable, "/nowhere/at/all")))
          .isEqualTo(
              "sash: cannot serve: %s must name a readable file, was '/nowhere/at/all': no such regular file\n"
                  .formatted(variable));
    }
    assertThat(refusal(Map.of("SASH_TLS_CERT", "/nowhere/cert", "SASH_TLS_KEY", "/nowhere/key")))
        .startsWith("sash: cannot serve: TLS certificate must be readable: ")
        .contains("/nowhere/cert")
        .hasLineCount(1);
  }

  @Test
  void tlsFlagsBelongTogether() {
    for (Map<String, String> half :
        List.of(
            Map.of("SASH_TLS_CERT", "a"),
            Map.of("SASH_TLS_KEY", "a"),
            Map.of("SASH_TLS_CLIENT_CA", "a"),
            Map.of("SASH_RESP_TLS", "true"))) {
      assertThatThrownBy(() -> refusal(half))
          .isInstanceOf(Arguments.BadArgumentsException.class)
          .hasMessageContaining("must be given");
    }
  }
}
