package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
}
