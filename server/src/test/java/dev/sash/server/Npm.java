package dev.sash.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Packages of npm, for tests with real clients of other languages. Each is installed once, in a
 * folder of its own below {@code target/npm}, and is there for later runs. Without npm, or without
 * its registry, the test that asks is skipped and says why.
 *
 * <pre>{@code
 * Npm.Result result = Npm.node(List.of("ioredis@6.0.0"), script, "6379");
 * assertThat(result.output()).contains("PONG");
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class Npm {
  private static final Path HOME = Path.of("target", "npm");
  private static final Duration INSTALLATION = Duration.ofMinutes(3);
  private static final Duration RUN = Duration.ofMinutes(2);
  private static final String INSTALLED = ".installed";

  /** Why a package could not be installed, so that the next test does not wait for it too. */
  private static final Map<String, String> FAILURES = new HashMap<>();

  /**
   * How a program ended.
   *
   * @param exitCode 0 if all went well
   * @param output what it printed, errors included
   */
  public record Result(int exitCode, String output) {}

  private Npm() {}

  /**
   * Installs a package, unless it is there already.
   *
   * @param pinned the name and the exact version, such as {@code @grpc/grpc-js@1.14.7}
   * @return the folder {@code node_modules} that holds it
   */
  public static synchronized Path install(String pinned) {
    String failure = FAILURES.get(pinned);
    Path folder = HOME.resolve(pinned.replaceAll("[^A-Za-z0-9.-]", "_")).toAbsolutePath();
    if (failure == null && !Files.exists(folder.resolve(INSTALLED))) {
      failure = installInto(folder, pinned);
    }
    if (failure != null) {
      FAILURES.put(pinned, failure);
      Assumptions.abort("npm cannot install " + pinned + ": " + failure);
    }
    return folder.resolve("node_modules");
  }

  /** Returns null, or why it failed. */
  private static String installInto(Path folder, String pinned) {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("package.json"), "{\"private\": true}");
      List<String> command = new ArrayList<>(List.of("npm", "install", "--prefix", "."));
      command.addAll(List.of("--no-save", "--no-package-lock", "--no-audit", "--no-fund"));
      command.addAll(List.of("--ignore-scripts=false", "--prefer-offline", pinned));
      Result result = run(INSTALLATION, folder, Map.of(), command);
      if (result.exitCode != 0) {
        return result.output;
      }
      Files.writeString(folder.resolve(INSTALLED), pinned);
      return null;
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Runs a script in node.
   *
   * @param packages those that it may {@code require}, with their versions
   * @param script the text of the script
   * @param arguments begin at {@code process.argv[2]}
   * @return how it ended
   */
  public static Result node(List<String> packages, String script, String... arguments)
      throws IOException {
    List<String> folders = packages.stream().map(p -> install(p).toString()).toList();
    Path file = Files.createTempFile(Files.createDirectories(HOME), "script", ".cjs");
    try {
      Files.writeString(file, script);
      List<String> command = new ArrayList<>(List.of("node", file.toAbsolutePath().toString()));
      command.addAll(List.of(arguments));
      Map<String, String> path = Map.of("NODE_PATH", String.join(File.pathSeparator, folders));
      return run(RUN, HOME, path, command);
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Runs a program that a package brings.
   *
   * @param pinned the package
   * @param program the name of the program
   * @param arguments its arguments
   * @return how it ended
   */
  public static Result program(String pinned, String program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(install(pinned).resolve(".bin").resolve(program).toString());
    command.addAll(List.of(arguments));
    return run(RUN, HOME, Map.of(), command);
  }

  private static Result run(
      Duration patience, Path folder, Map<String, String> environment, List<String> command)
      throws IOException {
    Path output = Files.createTempFile("sash", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      try {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
          return new Result(-1, "no end after " + patience + ":\n" + read(output));
        }
        return new Result(process.exitValue(), read(output));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } finally {
      Files.delete(output);
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, UTF_8);
  }
}
