package dev.sash.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * Compiles and runs the Java examples of a Markdown page, so that documentation and code agree. An
 * example is a block marked {@code java} with one class; to be run it has a {@code main} method.
 */
public final class PageExamples {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

  private final Path folder;
  private final List<String> sources;

  /**
   * Reads the examples of a page.
   *
   * @param page a Markdown file
   * @param folder an empty one, for what is compiled
   */
  public PageExamples(Path page, Path folder) {
    this.folder = folder;
    this.sources = JAVA.matcher(read(page)).results().map((MatchResult m) -> m.group(1)).toList();
  }

  /**
   * Returns the examples, in the order of the page.
   *
   * @return unmodifiable
   */
  public List<String> sources() {
    return sources;
  }

  /**
   * Compiles an example with the class path of this JVM, and runs it.
   *
   * @param source one of {@link #sources}, or a variation of it
   * @return what it printed, without white space around it
   * @throws Exception what it threw
   */
  public String run(String source) throws Exception {
    return printedBy(compile(source));
  }

  /**
   * Compiles an example with the class path of this JVM.
   *
   * @param source one of {@link #sources}, or a variation of it
   * @return the name of its class
   * @throws IOException if the folder cannot be written to
   */
  public String compile(String source) throws IOException {
    Matcher matcher = CLASS.matcher(source);
    if (!matcher.find()) {
      throw new AssertionError("no class in example: " + source);
    }
    String name = matcher.group(1);
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    String classPath = System.getProperty("java.class.path", "");
    String[] arguments = {"-proc:none", "-cp", classPath, "-d", folder.toString(), file.toString()};
    if (ToolProvider.getSystemJavaCompiler().run(null, null, errors, arguments) != 0) {
      throw new AssertionError(errors.toString(StandardCharsets.UTF_8));
    }
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

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
