package dev.sash.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The application in a process of its own, limited by one contender. */
final class Application implements AutoCloseable {
  /** Printed once it accepts requests. */
  private static final String LISTENING = "listening on ";

  /** One core, whether it can be bound to it or not, and the collector that a JVM takes there. */
  private static final List<String> JVM =
      List.of(
          "-XX:ActiveProcessorCount=1",
          "-XX:+UseSerialGC",
          "-Xms256m",
          "-Xmx256m",
          "-XX:+AlwaysPreTouch");

  private final Process process;
  private final BufferedReader output;

  private Application(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
  }

  /** Begins to start it. */
  static Application start(HttpContender contender, long permits, String redisUri)
      throws IOException {
    Path jar = contender.jar();
    if (!Files.exists(jar)) {
      throw new IllegalStateException(jar + " is missing: ./sash bench http builds it");
    }
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(JVM);
    command.addAll(List.of("-jar", jar.toString()));
    command.add("--spring.profiles.active=" + contender.profile());
    command.add("--benchmark.permits=" + permits);
    command.add("--benchmark.redis=" + redisUri);
    return new Application(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits until it accepts requests, and returns its port. */
  int awaitPort() throws IOException {
    StringBuilder log = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(LISTENING)) {
        passOn();
        return Integer.parseInt(line.substring(LISTENING.length()));
      }
      log.append(line).append('\n');
    }
    throw new IllegalStateException("the application did not start:\n" + log);
  }

  /** What it has to say further on; it would stop if nobody read it. */
  private void passOn() {
    Thread reader = new Thread(() -> output.lines().forEach(System.err::println));
    reader.setDaemon(true);
    reader.start();
  }

  long pid() {
    return process.pid();
  }

  /** The time it has had on a processor; in steps of 10 ms on most systems. */
  Duration cpuTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Ends it; it would end with this process anyway. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
