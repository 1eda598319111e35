package dev.sash.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where a result was measured. */
public final class Machine {
  private Machine() {}

  /**
   * The command, the day, the machine, the JVM and versions, as Markdown.
   *
   * @param command how to measure it again
   * @param server what else runs, with its version; empty if nothing
   * @param libraries the libraries whose versions matter
   */
  public static String describe(String command, String server, String... libraries) {
    Properties versions = versions();
    String libraryVersions =
        Stream.of(libraries)
            .map(name -> name + " " + Objects.requireNonNull(versions.getProperty(name), name))
            .collect(Collectors.joining(", "));
    return "`%s` on %s: %s, %d cores, %s %s; %s %s; %s%s."
        .formatted(
            command,
            LocalDate.now(ZoneOffset.UTC),
            processor(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            ManagementFactory.getRuntimeMXBean().getVmName(),
            System.getProperty("java.vm.version"),
            server.isEmpty() ? "" : server + "; ",
            libraryVersions);
  }

  /** As the build wrote them down. */
  private static Properties versions() {
    Properties versions = new Properties();
    try (InputStream in = Machine.class.getResourceAsStream("versions.properties")) {
      versions.load(Objects.requireNonNull(in, "versions.properties"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return versions;
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
