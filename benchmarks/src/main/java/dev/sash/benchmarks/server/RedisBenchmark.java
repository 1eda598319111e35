package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.benchmarks.http.Cores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code redis-benchmark}: sends pipelined requests to any server with Redis' protocol. */
final class RedisBenchmark {
  private static final int CONNECTIONS = 8;
  private static final int PIPELINE = 16;
  private static final int KEYS = 1_000;

  private final Path program;

  RedisBenchmark(Path program) {
    this.program = program;
  }

  /** Sends a number of requests for keys at random, and returns the responses per second. */
  double run(int port, int requests, String... command) throws IOException {
    List<String> words = new ArrayList<>();
    if (Cores.canBeChosen()) {
      words.addAll(List.of("taskset", "-c", Cores.OF_GENERATOR));
    }
    words.add(program.toString());
    words.addAll(List.of("-h", "127.0.0.1", "-p", "" + port, "-c", "" + CONNECTIONS));
    words.addAll(List.of("-P", "" + PIPELINE, "-r", "" + KEYS, "-n", "" + requests, "--csv"));
    words.addAll(Arrays.asList(command));
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException("redis-benchmark failed: " + output);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    return perSecond(output);
  }

  /** The second column of the last line. */
  static double perSecond(String csv) throws IOException {
    String[] lines = csv.strip().split("\n", -1);
    String[] columns = lines[lines.length - 1].split("\",\"", -1);
    if (columns.length < 2) {
      throw new IOException("redis-benchmark printed something else: " + csv);
    }
    return Double.parseDouble(columns[1].replace("\"", ""));
  }
}
