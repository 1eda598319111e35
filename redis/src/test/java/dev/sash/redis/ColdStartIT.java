package dev.sash.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Redis decides with default settings although the process is late itself: just started, on
 * processors that others want too, or stopped for a while. {@code -Dsash.cold=n} repeats everything
 * n times.
 */
class ColdStartIT {
  private static final int TIMES = Integer.getInteger("sash.cold", 1);

  @Test
  void aBurstAfterTheStartAdmitsTheLimit() throws Exception {
    try (RedisServer server = RedisServer.start();
        Load load = new Load()) {
      for (int i = 0; i < TIMES; i++) {
        server.command("FLUSHALL");
        Process process = start("burst", server);
        List<String> output = output(process);
        assertThat(output)
            .as("attempt %d under %s", i + 1, load)
            .last()
            .asString()
            .contains("admitted 50 ", "LOCAL=0", "FAILURE_RULE=0");
      }
    }
  }

  @Test
  void noRuleDecidesAfterTheProcessWasStopped() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      for (int i = 0; i < TIMES; i++) {
        server.command("FLUSHALL");
        Process process = start("busy", server);
        BufferedReader reader = process.inputReader(UTF_8);
        assertThat(reader.readLine()).isEqualTo("busy");
        for (Duration pause : List.of(Duration.ofMillis(300), Duration.ofSeconds(5))) {
          Thread.sleep(500);
          signal("STOP", process);
          Thread.sleep(pause.toMillis());
          signal("CONT", process);
        }
        Thread.sleep(500);
        process.getOutputStream().close();
        assertThat(reader.lines().toList())
            .as("attempt %d", i + 1)
            .last()
            .asString()
            .contains("LOCAL=0", "FAILURE_RULE=0");
      }
    }
  }

  private static Process start(String mode, RedisServer server) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            ColdProcess.class.getName(),
            mode,
            server.uri())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static List<String> output(Process process) throws IOException {
    try (BufferedReader reader = process.inputReader(UTF_8)) {
      return reader.lines().toList();
    }
  }

  private static void signal(String name, Process process) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  /** Processes that want as many processors as there are, and again as many. */
  private static final class Load implements AutoCloseable {
    private final List<Process> processes = new ArrayList<>();

    Load() throws IOException {
      for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
        processes.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
    }

    @Override
    public void close() {
      processes.forEach(Process::destroyForcibly);
    }

    @Override
    public String toString() {
      return processes.size() + " busy processes";
    }
  }
}
