package dev.sash.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sash.testkit.PageExamples;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tools that come with Redis, where they are installed; and that docs/resp.md tells the truth.
 */
@Timeout(120)
class RespToolsIT {
  private static final Path PAGE = Path.of("..", "docs", "resp.md");
  private static final Pattern SESSION =
      Pattern.compile("```text\n(\\$ redis-cli.*?)```", Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile("^127.0.0.1:6390> (.*)\n((?:(?!127).*\n)*)", Pattern.MULTILINE);

  private static TestServer server;

  @BeforeAll
  static void start() {
    server = new TestServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-2", "-3"})
  void redisCliSpeaksBothVersions(String version, @TempDir Path folder) throws Exception {
    String key = "cli " + version;
    assertThat(run(folder, "redis-cli", version, "--no-raw", "SASH.CHECK", "api", key))
        .isEqualTo(
            """
            1) (integer) 1
            2) (integer) 3
            3) (integer) 2
            4) (integer) 0
            5) (integer) 3600000
            6) "store"
            """);
    assertThat(run(folder, "redis-cli", version, "CL.THROTTLE", key, "15", "30", "60"))
        .isEqualTo("0\n16\n15\n-1\n2\n");
    assertThat(run(folder, "redis-cli", version, "INFO")).contains("redis_version:");
    assertThat(run(folder, "redis-cli", version, "COMMAND", "DOCS")).contains("sash.check");
  }

  @Test
  void redisBenchmarkRuns(@TempDir Path folder) throws Exception {
    String printed =
        run(
            folder,
            "redis-benchmark",
            "-P",
            "16",
            "-n",
            "20000",
            "-r",
            "100",
            "-q",
            "SASH.CHECK",
            "crowd",
            "bench:__rand_int__");
    assertThat(printed).contains("requests per second").doesNotContain("WARNING", "Error");
  }

  /** The page's session, against the policies of the page. */
  @Test
  void thePageShowsWhatHappens(@TempDir Path folder) throws Exception {
    Matcher session = SESSION.matcher(Files.readString(PAGE));
    assertThat(session.find()).isTrue();
    Matcher command = COMMAND.matcher(session.group(1));
    int count = 0;
    while (command.find()) {
      List<String> words = new ArrayList<>(List.of("redis-cli", "--no-raw"));
      words.addAll(List.of(command.group(1).split(" ", -1)));
      String printed = run(folder, words.toArray(String[]::new)).replaceAll("\n+$", "\n");
      assertThat(withoutTimes(printed)).isEqualTo(withoutTimes(command.group(2)));
      count++;
    }
    assertThat(count).isGreaterThan(5);
  }

  /** Of milliseconds only how many digits there are: they pass while the session runs. */
  private static String withoutTimes(String printed) {
    return printed.replaceAll("\\b\\d{7}\\b", "#");
  }

  private static String run(Path folder, String tool, String... words)
      throws IOException, InterruptedException {
    assumeTrue(isInstalled(tool), tool + " is not installed");
    List<String> command = new ArrayList<>(List.of(tool, "-p", Integer.toString(server.port())));
    command.addAll(List.of(words));
    Path output = Files.createTempFile(folder, "tool", ".out");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s ends", command).isTrue();
      return Files.readString(output, UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void thePagesProgramCompilesAndRuns(@TempDir Path folder) throws Exception {
    PageExamples examples = new PageExamples(PAGE, folder);
    assertThat(examples.sources()).hasSize(1);
    String source = examples.sources().get(0);
    assertThat(source).contains("127.0.0.1:6390");
    assertThat(examples.run(source.replace("6390", Integer.toString(server.port()))))
        .isEqualTo("allowed, 2 left\nallowed, 1 left\nallowed, 0 left\ndenied");
  }

  private static String run(Path folder, String[] words) throws IOException, InterruptedException {
    return run(folder, words[0], List.of(words).subList(1, words.length).toArray(String[]::new));
  }

  private static boolean isInstalled(String tool) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
  }
}
