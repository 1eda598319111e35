package dev.sash.benchmarks.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sash.benchmarks.http.Cores;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server in a process of its own, on one core if processes can be bound to cores. */
final class ServerProcess implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Process process;
  private final int port;

  private ServerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it, and waits until it takes connections.
   *
   * @param log gets what it prints
   */
  static ServerProcess start(List<String> command, int port, Path log) throws IOException {
    List<String> bound = new ArrayList<>();
    if (Cores.canBeChosen()) {
      bound.addAll(List.of("taskset", "-c", Cores.OF_APPLICATION));
    }
    bound.addAll(command);
    return startAnywhere(bound, port, log);
  }

  /** {@link #start} on whatever cores the system likes. */
  static ServerProcess startAnywhere(List<String> command, int port, Path log) throws IOException {
    long begin = System.nanoTime();
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SASH_"));
    Process process = builder.start();
    try {
      while (!isListening(port)) {
        if (!process.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
          throw new IllegalStateException(
              command.get(0) + " did not start:\n" + Files.readString(log, UTF_8));
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      return new ServerProcess(process, port);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false; // not yet
    }
  }

  /** A port that nobody has now. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  /** The time that it and its workers have had on a processor. */
  Duration cpuTime() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** The memory that it has from the system, in bytes; 0 if nobody tells. */
  long residentBytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    if (!Files.exists(status)) {
      return 0;
    }
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    return 0;
  }

  @Override
  public void close() {
    List<ProcessHandle> workers = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    workers.forEach(ProcessHandle::destroyForcibly);
  }
}
