package dev.sash.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.cli.Arguments.BadArgumentsException;
import dev.sash.cli.log.LogStyle;
import dev.sash.key.Keys;
import dev.sash.server.SashServer;
import dev.sash.server.ServerOptions;
import dev.sash.server.access.OperatorTokens;
import dev.sash.server.http.HttpOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

class OverrideCommandTest {
  private static final String TOKEN = "kR7-adminOne-q2Wz9";

  private SashServer server;
  private String url;

  @BeforeEach
  void start() {
    server =
        SashServer.start(
            ServerOptions.of(
                HttpOptions.at("127.0.0.1", 0).withTokens(OperatorTokens.of(TOKEN, null))));
    url = "http://127.0.0.1:" + server.port();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String run(String... words) {
    return run(Map.of("SASH_ADMIN_TOKEN", TOKEN, "SASH_SERVER", url), words);
  }

  private static String run(Map<String, String> environment, String... words) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(bytes, true, UTF_8);
    List<String> rest = new ArrayList<>(List.of(words));
    String command = rest.remove(0);
    int code =
        command.equals("reset")
            ? OverrideCommand.reset(rest, environment, both, both)
            : OverrideCommand.run(rest, environment, both, both);
    return code + " " + bytes.toString(UTF_8);
  }

  private String check(String key) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(out, true, UTF_8);
    return Check.run(List.of("default", key, "--server", url), Map.of(), both, both)
        + " "
        + out.toString(UTF_8);
  }

  @Test
  void setsListsAndRemovesOverrides() {
    assertThat(run("override", "list")).isEqualTo("0 no overrides\n");
    assertThat(
            run(
                "override",
                "set",
                "default",
                "user:42",
                "--limits",
                "500/1m, 9000/1h",
                "--reason",
                "migrates today",
                "--for",
                "2h",
                "--author",
                "bob"))
        .startsWith("0 set: default user:42 500/1m sliding-log, 9000/1h sliding-log until 2")
        .contains("Z (bob: migrates today)\n")
        .contains("kept in memory: it ends when the server stops");
    assertThat(check("user:42")).contains("allowed: 499 of 500 left");
    assertThat(
            run(
                "override",
                "set",
                "default",
                "ip:10.",
                "--prefix",
                "true",
                "--block",
                "--reason",
                "abuse",
                "--author",
                "ann"))
        .startsWith("0 set: default ip:10.* block until removed (ann: abuse)\n");
    assertThat(check("ip:10.0.0.9")).isEqualTo("1 denied: blocked\n");
    assertThat(check("ip:10.1.2.3")).startsWith("1 denied");

    assertThat(run("override", "list", "default").lines())
        .hasSize(2)
        .first()
        .isEqualTo("0 default ip:10.* block until removed (ann: abuse)");
    assertThat(run("override", "remove", "default", "ip:10."))
        .isEqualTo(
            "1 sash: the server answered 404:"
                + " policy 'default' has no override of exactly this key\n");
    assertThat(run("override", "remove", "default", "ip:10.", "--prefix", "true"))
        .startsWith("0 removed: default ip:10.* block");
    assertThat(check("ip:10.1.2.3")).startsWith("0 allowed");
    assertThat(
            run("override", "set", "default", "ann", "--unlimited", "--reason", "a test of load"))
        .contains("(" + System.getProperty("user.name") + ": a test of load)");
  }

  @Test
  void theLogOfTheServerSaysWhoDidWhatWithoutTheKey() {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    new LogStyle(false, Level.INFO, new PrintStream(log, true, UTF_8)).use();
    try {
      run("override", "set", "default", "user:42", "--block", "--reason=abuse", "--author=ann");
      run("override", "remove", "default", "user:42", "--reason=a mistake", "--author=bob");
    } finally {
      new LogStyle(false, Level.INFO, LogStyle.standardError()).use();
    }
    String key = "key sha256:" + Keys.sha256("user:42");
    assertThat(log.toString(UTF_8).lines().map(line -> line.replaceFirst(".* INFO ", "")))
        .containsExactly(
            "OverrideKeeper: Override set: policy default, "
                + key
                + ", effect block, expires never, author 'ann', reason 'abuse'",
            "OverrideKeeper: Override remove: policy default, "
                + key
                + ", effect block, expires never, author 'bob', reason 'a mistake'");
  }

  @Test
  void resetsAKey() {
    check("jörg/%");
    assertThat(run("reset", "default", "jörg/%")).isEqualTo("0 reset: default jörg/%\n");
    assertThat(check("jörg/%")).startsWith("0 allowed: 99 of 100 left");
    assertThat(run("reset", "none", "ann"))
        .isEqualTo("1 sash: the server answered 404: there is no policy 'none'\n");
  }

  @Test
  void takesTheTokenFromAFileAndSendsNoneUnlessThereIsOne(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    assertThat(
            run(
                Map.of("SASH_ADMIN_TOKEN_FILE", file.toString(), "SASH_SERVER", url),
                "override",
                "list"))
        .isEqualTo("0 no overrides\n");
    assertThat(run(Map.of("SASH_SERVER", url), "override", "list"))
        .startsWith("1 sash: the server answered 401: the admin token must be sent");
    assertThatThrownBy(() -> run(Map.of("SASH_ADMIN_TOKEN", "short"), "override", "list"))
        .isInstanceOf(BadArgumentsException.class)
        .hasMessageContaining("SASH_ADMIN_TOKEN")
        .hasMessageNotContaining("'short'");
    // A flag is visible to every user of the machine.
    assertThatThrownBy(() -> run("override", "list", "--token", TOKEN))
        .isInstanceOf(BadArgumentsException.class);
  }

  @Test
  void namesWhatIsMissing() {
    assertThatThrownBy(() -> run("override"))
        .hasMessage("override needs to know what to do: set, remove or list");
    assertThatThrownBy(() -> run("override", "dance"))
        .hasMessage("override needs to know what to do: set, remove or list, was 'dance'");
    assertThatThrownBy(() -> run("override", "set", "default", "--block", "--reason", "r"))
        .hasMessage("a policy and a key are needed, got 1 word");
    assertThatThrownBy(() -> run("override", "set", "default", "ann", "--reason", "r"))
        .hasMessage("one of --limits, --unlimited and --block must be given");
    assertThatThrownBy(
            () -> run("override", "set", "default", "ann", "--block", "--unlimited", "--reason=r"))
        .hasMessage("one of --limits, --unlimited and --block must be given");
    assertThatThrownBy(() -> run("override", "set", "default", "ann", "--block"))
        .hasMessage("--reason must be given");
    assertThatThrownBy(() -> run("override", "list", "--server", "nowhere"))
        .hasMessage("--server must be a URL, was 'nowhere'");
    assertThat(run("override", "set", "default", "a", "--limits", "5/", "--reason", "r"))
        .startsWith("1 sash: the server answered 400: ");
  }

  @Test
  void saysThatTheServerDoesNotAnswer() {
    server.close();
    assertThat(run("override", "list")).startsWith("2 sash: " + url + " does not answer: ");
  }
}
