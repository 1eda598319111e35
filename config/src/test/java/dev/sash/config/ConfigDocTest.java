package dev.sash.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.PageExamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/config.md is what the schema says, and its examples are what the parser reads. */
class ConfigDocTest {
  private static final Path PAGE = Path.of("..", "docs", "config.md");
  private static final String BEGIN = "<!-- from sash.schema.json: begin -->\n";
  private static final String END = "\n<!-- from sash.schema.json: end -->\n";

  private static List<MatchResult> blocks(String regex) throws IOException {
    return Pattern.compile(regex, Pattern.DOTALL)
        .matcher(Files.readString(PAGE))
        .results()
        .toList();
  }

  @Test
  void theReferenceIsThatOfTheSchema() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String expected = ConfigReference.markdown();
    if (Boolean.getBoolean("sash.write")) {
      Files.writeString(PAGE, page.substring(0, begin) + expected + page.substring(end));
    } else {
      assertThat(page.substring(begin, end))
          .as(
              "write it anew: mvn test -pl config -am -Dtest=ConfigDocTest -Dsash.write=true"
                  + " -Dsurefire.failIfNoSpecifiedTests=false")
          .isEqualTo(expected);
    }
  }

  @Test
  void everyFileOnThePageIsAccepted() throws IOException {
    List<MatchResult> files = blocks("```yaml\n(.*?)```");
    assertThat(files).hasSizeGreaterThan(4);
    for (MatchResult file : files) {
      assertThat(Configuration.parse(file.group(1), "page.yaml")).isNotNull();
      assertThat(PublishedSchema.errorsOf(file.group(1))).as(file.group(1)).isEmpty();
    }
  }

  @Test
  void everyMistakeOnThePageIsAnsweredAsItSays() throws IOException {
    List<MatchResult> mistakes = blocks("```yaml wrong\n(.*?)```\n\n```text\n(.*?)```");
    assertThat(mistakes).hasSize(1);
    for (MatchResult mistake : mistakes) {
      assertThat(NativeProblemsTest.messageFor(mistake.group(1)) + "\n")
          .isEqualTo(mistake.group(2));
    }
  }

  @Test
  void theJavaOnThePageRuns(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("sash.yaml");
    Files.writeString(file, "policies: {search: {limit: 5/s}}");
    PageExamples examples = new PageExamples(PAGE, folder);
    assertThat(examples.sources()).hasSize(1);
    String source = examples.sources().get(0).replace("\"sash.yaml\"", "\"" + file + "\"");

    assertThat(examples.run(source)).isEqualTo("[search]");
  }
}
