package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.PageExamples;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java in docs/http.md compiles as it stands. */
class HttpDocTest {
  @TempDir Path folder;

  @Test
  void everyExampleCompiles() throws Exception {
    PageExamples examples = new PageExamples(Path.of("..", "docs", "http.md"), folder);
    assertThat(examples.sources()).hasSize(2);
    for (String source : examples.sources()) {
      examples.compile(source);
    }
  }
}
