package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** docs/spring.md in five minutes: what it says is done, and happens. */
@Timeout(120)
class TutorialIT {
  private static final Pattern QUERY = Pattern.compile("http://localhost:8080(/[^']+)'");

  @TempDir Path folder;

  @Test
  void theSixLinesGiveTheResponsesOnThePage() throws Exception {
    String yaml = Page.blocks("yaml").get(0);
    assertThat(yaml.lines()).hasSize(6);
    Path configuration = Files.writeString(folder.resolve("application.yaml"), yaml);
    Class<?> application = Page.compiled(Page.blocks("java").get(0), folder);
    Matcher query = QUERY.matcher(Page.text());
    assertThat(query.find()).isTrue();
    List<String> expected = Page.blocks("http");

    try (TestApp app =
        TestApp.servlet(application, TimedStore.class)
            .with("spring.config.location=" + configuration.toUri())
            .start()) {
      List<HttpResponse<String>> responses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        responses.add(app.get(query.group(1)));
      }
      assertIs(responses.get(0), expected.get(0));
      assertThat(responses.get(1).statusCode()).isEqualTo(200);
      assertThat(responses.get(2).statusCode()).isEqualTo(200);
      assertIs(responses.get(3), expected.get(1));
    }
  }

  private static void assertIs(HttpResponse<String> response, String expected) {
    int blank = expected.indexOf("\n\n");
    List<String> head = expected.substring(0, blank).lines().toList();
    assertThat(head.get(0)).isEqualTo("HTTP/1.1 " + response.statusCode());
    for (String line : head.subList(1, head.size())) {
      int colon = line.indexOf(": ");
      assertThat(TestApp.field(response, line.substring(0, colon)))
          .as(line)
          .isEqualTo(line.substring(colon + 2));
    }
    assertThat(response.body()).isEqualTo(expected.substring(blank + 2).stripTrailing());
  }

  @Test
  void everyClassOnThePageCompiles() throws Exception {
    for (String source : Page.blocks("java")) {
      assertThat(Page.compiled(source, folder)).isNotNull();
    }
  }
}
