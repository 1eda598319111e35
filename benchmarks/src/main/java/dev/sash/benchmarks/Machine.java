package dev.sash.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/** Where a result was measured. */
final class Machine {
  private Machine() {}

  /** The command, the day, the machine, the JVM and the peers' versions, as Markdown. */
  static String describe(String command) {
    Runtime runtime = Runtime.getRuntime();
    return "`"
        + command
        + "` on "
        + LocalDate.now(ZoneOffset.UTC)
        + ": "
        + processor()
        + ", "
        + runtime.availableProcessors()
        + " cores, "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.arch")
        + "; "
        + ManagementFactory.getRuntimeMXBean().getVmName()
        + " "
        + System.getProperty("java.vm.version")
        + "; "
        + String.join(", ", peers())
        + ". Medians over the iterations of JMH, all in this one run: compare the ratios, not the"
        + " nanoseconds of another machine or day.\n\n";
  }

  /** As the build wrote them down. */
  private static List<String> peers() {
    Properties versions = new Properties();
    try (InputStream in = Machine.class.getResourceAsStream("peers.properties")) {
      versions.load(Objects.requireNonNull(in, "peers.properties"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return versions.stringPropertyNames().stream()
        .sorted()
        .map(name -> name + " " + versions.getProperty(name))
        .toList();
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException e) {
      return "unknown processor"; // not Linux
    }
  }
}
