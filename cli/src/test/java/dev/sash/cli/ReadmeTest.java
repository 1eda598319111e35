package dev.sash.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.PageExamples;
import dev.sash.testkit.redis.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java examples in the README compile, and run with the expected output. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");

  @TempDir Path folder;

  @Test
  void everyExampleCompilesAndRuns() throws Exception {
    PageExamples examples = new PageExamples(README, folder);
    assertThat(examples.sources()).hasSize(5);
    assertThat(examples.run(examples.sources().get(0))).isEqualTo("welcome");
    assertThat(examples.run(examples.sources().get(1))).isEmpty();
    examples.compile(examples.sources().get(3));
    assertThat(examples.run(examples.sources().get(4))).isEqualTo("true");
  }

  @Test
  void theExampleOnRedisRunsOnARealOne() throws Exception {
    PageExamples examples = new PageExamples(README, folder);
    try (RedisServer server = RedisServer.start()) {
      String example = examples.sources().get(2);
      assertThat(example).contains("redis://localhost");

      assertThat(examples.run(example.replace("redis://localhost", server.uri())))
          .isEqualTo("99 left, decided by STORE");
    }
  }
}
