package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.access.OperatorTokens;
import dev.sash.server.http.HttpOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainTest {
  private static final String TOKEN = "kR7-adminOne-q2Wz9";

  @TempDir Path folder;

  private static String explain(Map<String, String> environment, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(out, true, UTF_8);
    int code = Explain.run(List.of(words), environment, both, both);
    return code + " " + out.toString(UTF_8);
  }

  @Test
  void theAdminTokenIsInTheEnvironmentOrInAFile() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    HttpOptions http = HttpOptions.at("127.0.0.1", 0).withTokens(OperatorTokens.of(TOKEN, null));
    try (SashServer server = SashServer.start(ServerOptions.of(http))) {
      String url = "http://127.0.0.1:" + server.port();
      for (Map<String, String> environment :
          List.of(
              Map.of("SASH_ADMIN_TOKEN", TOKEN, "SASH_SERVER", url),
              Map.of("SASH_ADMIN_TOKEN_FILE", file.toString(), "SASH_SERVER", url))) {
        assertThat(explain(environment, "default", "ann"))
            .startsWith(
                "0 Admitted: 0 of 100 permits of 100/1m sliding-log are used, 1 requested.");
      }
      assertThat(explain(Map.of(), "default", "ann", "--server", url + "/"))
          .startsWith("2 sash: the server answered 401: the admin token must be sent");
    }
  }

  @Test
  void whatIsWrongIsSaid() {
    assertThatThrownBy(() -> explain(Map.of(), "default"))
        .isInstanceOf(BadArgumentsException.class)
        .hasMessage("explain needs a policy and a key, got 1 words");
    assertThatThrownBy(() -> explain(Map.of(), "default", "ann", "--server", "nowhere"))
        .isInstanceOf(BadArgumentsException.class)
        .hasMessage("--server must be a URL, was 'nowhere'");
    assertThatThrownBy(
            () -> explain(Map.of("SASH_ADMIN_TOKEN_FILE", "/no/such/file"), "default", "ann"))
        .isInstanceOf(BadArgumentsException.class)
        .hasMessageContaining("SASH_ADMIN_TOKEN_FILE");
  }
}
