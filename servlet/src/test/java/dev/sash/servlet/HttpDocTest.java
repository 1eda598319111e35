package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

/** The Java in docs/http.md compiles as it stands. */
class HttpDocTest {
  private static final Path PAGE = Path.of("..", "docs", "http.md");
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

  @TempDir Path folder;

  @Test
  void everyExampleCompiles() throws Exception {
    List<Path> examples = examples();
    assertThat(examples).hasSize(2);
    for (Path example : examples) {
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
                  example.toString());
      assertThat(result).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    }
  }

  private List<Path> examples() throws IOException {
    List<Path> examples = new ArrayList<>();
    Matcher matcher = JAVA.matcher(Files.readString(PAGE));
    while (matcher.find()) {
      String source = matcher.group(1);
      Matcher name = CLASS.matcher(source);
      assertThat(name.find()).isTrue();
      examples.add(Files.writeString(folder.resolve(name.group(1) + ".java"), source));
    }
    return examples;
  }
}
