package dev.sash.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.PageExamples;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java in docs/outgoing.md compiles as it stands; the starter compiles that with Spring. */
class OutgoingDocTest {
  @TempDir Path folder;

  @Test
  void everyExampleCompiles() throws Exception {
    PageExamples examples = new PageExamples(Path.of("..", "docs", "outgoing.md"), folder);
    List<String> plain =
        examples.sources().stream().filter(s -> !s.contains("org.springframework")).toList();
    assertThat(plain).hasSize(3);
    for (String source : plain) {
      assertThat(examples.compile(source)).isNotEmpty();
    }
  }
}
