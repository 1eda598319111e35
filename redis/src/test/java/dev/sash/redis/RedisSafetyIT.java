package dev.sash.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.History;
import dev.sash.testkit.HistoryChecker;
import dev.sash.testkit.redis.RedisServer;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes whose clocks differ by up to twenty minutes: no window over the limit. */
class RedisSafetyIT {
  private static final long MINUTE_MICROS = 60_000_000;
  private static final long[] SKEWS = {
    -10 * MINUTE_MICROS, -1, 3 * MINUTE_MICROS, 10 * MINUTE_MICROS
  };
  private static final long SECONDS = Long.getLong("sash.safety.seconds", 30);

  @Test
  @Timeout(600)
  void processesWithWrongClocksShareOneLimit(@TempDir Path directory) throws Exception {
    List<Process> processes = new ArrayList<>();
    try (RedisServer server = RedisServer.start()) {
      for (long skew : SKEWS) {
        processes.add(start(server, skew, directory.resolve("answers" + skew)));
      }
      for (Process process : processes) {
        assertThat(process.waitFor()).as("exit status of a process").isZero();
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }

    int admitted = 0;
    int asked = 0;
    for (History history : histories(directory)) {
      assertThat(HistoryChecker.check(history, Hammer.LIMIT)).isEmpty();
      admitted += history.admitted();
      asked += history.size();
    }
    System.out.printf("%d processes: %d of %d admitted%n", SKEWS.length, admitted, asked);
    assertThat(admitted).isBetween(1, asked - 1);
  }

  private static Process start(RedisServer server, long skew, Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Hammer.class.getName(),
            server.uri(),
            Long.toString(skew),
            Long.toString(SECONDS),
            file.toString())
        .inheritIO()
        .start();
  }

  private static List<History> histories(Path directory) throws IOException {
    List<History> histories = new ArrayList<>();
    for (int i = 0; i < Hammer.KEYS; i++) {
      histories.add(new History());
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        read(file, histories);
      }
    }
    return histories;
  }

  private static void read(Path file, List<History> histories) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      for (int key = in.read(); key >= 0; key = in.read()) {
        histories.get(key).add(in.readLong(), in.readLong(), in.readInt(), in.readBoolean());
      }
    }
  }
}
