package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What GraalVM reads, so that native images contain the scripts. */
class NativeImageTest {
  private static final String HINTS =
      "/META-INF/native-image/dev.sash/sash-redis/resource-config.json";

  private static List<Pattern> patterns() throws Exception {
    try (InputStream file = NativeImageTest.class.getResourceAsStream(HINTS)) {
      assertThat(file).as(HINTS).isNotNull();
      String json = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      // No pattern has a backslash, which would have to be unescaped here.
      assertThat(json).doesNotContain("\\");
      return Pattern.compile("\"pattern\": \"([^\"]+)\"")
          .matcher(json)
          .results()
          .map(match -> Pattern.compile(match.group(1)))
          .toList();
    }
  }

  /** The names of all scripts, beside the class that loads them and anywhere else. */
  private static List<String> scripts() throws Exception {
    Path root = Path.of(Script.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(".lua"))
          .toList();
    }
  }

  @Test
  void everyScriptIsInANativeImage() throws Exception {
    List<Pattern> patterns = patterns();
    assertThat(scripts())
        .contains("dev/sash/redis/batch.lua", "dev/sash/redis/sliding_log.lua")
        .allMatch(script -> patterns.stream().anyMatch(p -> p.matcher(script).matches()));
  }

  @Test
  void nothingElseIsTakenAlong() throws Exception {
    assertThat(patterns())
        .noneMatch(pattern -> pattern.matcher("dev/sash/redis/Script.class").matches())
        .noneMatch(pattern -> pattern.matcher("com/example/dev/sash/redis/a.lua").matches());
  }
}
