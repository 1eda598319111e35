package dev.sash.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** docs/spring.md. */
final class Page {
  private Page() {}

  static String text() throws IOException {
    return Files.readString(Path.of("..", "docs", "spring.md"));
  }

  /** What stands between fences of that language. */
  static List<String> blocks(String language) throws IOException {
    Pattern fence =
        Pattern.compile("^```" + language + "\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
    List<String> blocks = new ArrayList<>();
    Matcher matcher = fence.matcher(text());
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }
}
