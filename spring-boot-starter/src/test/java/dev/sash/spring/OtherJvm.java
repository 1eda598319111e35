package dev.sash.spring;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Runs a class of the tests in a JVM of its own, with a class path of its own. */
final class OtherJvm {
  /** What the process left behind. */
  record Result(int exitCode, String output) {}

  private OtherJvm() {}

  /** The class path of the tests without some of its entries. */
  static List<String> classPathWithout(Predicate<String> excluded) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !excluded.test(entry.replace(File.separatorChar, '/')))
        .toList();
  }

  static Result run(Path folder, List<String> classPath, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-cp", String.join(File.pathSeparator, classPath)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(100, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "still running: " + Files.readString(output, StandardCharsets.UTF_8));
      }
      return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    } finally {
      process.destroyForcibly();
    }
  }
}
