package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

/** docs/spring.md. */
final class Page {
  private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

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

  /** Compiles a class, which the thread's class loader then finds. */
  static Class<?> compiled(String source, Path folder) throws Exception {
    Matcher name = CLASS.matcher(source);
    assertThat(name.find()).isTrue();
    Path file = Files.writeString(folder.resolve(name.group(1) + ".java"), source);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-proc:none",
                "-parameters",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString());
    assertThat(result).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, Page.class.getClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    return loader.loadClass("com.example.shop." + name.group(1));
  }
}
