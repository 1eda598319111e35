package dev.sash.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A process that serves until it is ended, in a directory that is deleted with it.
 *
 * <p>What is not closed is closed when the JVM ends.
 */
final class ServerProcess implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

  private static final Set<ServerProcess> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ServerProcess::closeAll, "sash-servers"));
  }

  private final Path directory = Directories.temporary();
  private volatile @Nullable Process process;
  private volatile boolean paused;

  ServerProcess() {
    OPEN.add(this);
  }

  /** First no process is left; then no file is, as far as that works. */
  private static void closeAll() {
    OPEN.forEach(ServerProcess::kill);
    OPEN.forEach(ServerProcess::close);
  }

  /** Where the process runs; its log is here too. */
  Path directory() {
    return directory;
  }

  /** Starts a process, to be called again only after the one before has ended. */
  void start(List<String> command) {
    File log = logFile().toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    // Redis 7 does not start under a locale that is not installed.
    builder.environment().put("LC_ALL", "C");
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command, e);
    }
  }

  long pid() {
    return started().pid();
  }

  boolean isAlive() {
    Process current = process;
    return current != null && current.isAlive();
  }

  boolean isPaused() {
    return paused;
  }

  void stop() {
    if (paused) {
      resume();
    }
    Process current = started();
    current.destroy();
    if (!Waiting.ended(current, STOP_LIMIT)) {
      kill();
    }
  }

  void kill() {
    Process current = process;
    if (current == null) {
      return;
    }
    // What it forked to save or to replicate would go on writing.
    List<ProcessHandle> forked = current.descendants().toList();
    current.destroyForcibly();
    forked.forEach(ProcessHandle::destroyForcibly);
    if (!Waiting.ended(current, KILL_LIMIT)) {
      throw new IllegalStateException(
          "waited %d ms for the end of the killed process %d"
              .formatted(KILL_LIMIT.toMillis(), current.pid()));
    }
    paused = false;
  }

  void pause() {
    signal("STOP");
    paused = true;
  }

  void resume() {
    signal("CONT");
    paused = false;
  }

  /** Only a shell has {@code kill} everywhere. */
  private void signal(String name) {
    if (!isAlive()) {
      throw new IllegalStateException("the server does not run");
    }
    Tool.mustRun("sh", "-c", "kill -%s %d".formatted(name, pid()));
  }

  String log() {
    try {
      return Files.readString(logFile(), UTF_8);
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  private Path logFile() {
    return directory.resolve("log");
  }

  private Process started() {
    Process current = process;
    if (current == null) {
      throw new IllegalStateException("the server was never started");
    }
    return current;
  }

  @Override
  public void close() {
    kill();
    Directories.delete(directory);
    OPEN.remove(this);
  }
}
