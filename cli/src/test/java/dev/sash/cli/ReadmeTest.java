package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's Java is compiled as it stands, and run where it has something to run. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

  @TempDir Path folder;

  @Test
  void everyExampleCompilesAndRuns() throws Exception {
    List<String> examples = examples();
    assertThat(examples).hasSize(5);
    assertThat(run(examples.get(0))).isEqualTo("welcome");
    assertThat(run(examples.get(1))).isEmpty();
    compile(examples.get(3));
    assertThat(run(examples.get(4))).isEqualTo("true");
  }

  @Test
  void theExampleOnRedisRunsOnARealOne() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      String example = examples().get(2);
      assertThat(example).contains("redis://localhost");

      assertThat(run(example.replace("redis://localhost", server.uri())))
          .isEqualTo("99 left, says STORE");
    }
  }

  private static List<String> examples() throws IOException {
    List<String> examples = new ArrayList<>();
    Matcher matcher = JAVA.matcher(Files.readString(README));
    while (matcher.find()) {
      examples.add(matcher.group(1));
    }
    return examples;
  }

  private String run(String source) throws Exception {
    return printedBy(compile(source));
  }

  private String compile(String source) throws IOException {
    Matcher matcher = CLASS.matcher(source);
    assertThat(matcher.find()).isTrue();
    String name = matcher.group(1);
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString());
    assertThat(result).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    return name;
  }

  private String printedBy(String name) throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      main.invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(out);
    }
    return printed.toString(StandardCharsets.UTF_8).strip();
  }
}
