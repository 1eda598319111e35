package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Commands that end by themselves, such as {@code kill} and {@code keytool}. */
final class Tool {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Tool() {}

  /**
   * How a command ended.
   *
   * @param status its exit status
   * @param output what it printed, errors included
   */
  record Result(int status, String output) {}

  /**
   * Runs a command to its end.
   *
   * @throws UncheckedIOException if it cannot be started
   * @throws IllegalStateException if it does not end in time
   */
  static Result run(String... command) {
    try {
      // A file, not a pipe: a full pipe would have to be emptied while waiting.
      Path output = Files.createTempFile("sash-tool-", ".out");
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!Waiting.ended(process, LIMIT)) {
          process.destroyForcibly();
          throw new IllegalStateException(
              "waited %d ms for the end of %s; last seen: %s"
                  .formatted(LIMIT.toMillis(), List.of(command), Files.readString(output, UTF_8)));
        }
        return new Result(process.exitValue(), Files.readString(output, UTF_8));
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + List.of(command), e);
    }
  }

  /** Runs a command that must succeed. */
  static void mustRun(String... command) {
    Result result = run(command);
    if (result.status() != 0) {
      throw new IllegalStateException(
          "%s ended with %d: %s".formatted(List.of(command), result.status(), result.output()));
    }
  }
}
