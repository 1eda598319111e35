package dev.sash.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real proxy that runs as a process until it is closed. */
final class ProxyProcess implements AutoCloseable {
  private final Process process;
  private final Path log;
  private final int port;

  private ProxyProcess(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.port = port;
  }

  /** Returns the first of the programs that runs; skips the test if none does. */
  static String installed(String name, String versionFlag, String... paths) {
    List<String> candidates = Stream.concat(Stream.of(name), Stream.of(paths)).toList();
    for (String candidate : candidates) {
      if (runs(candidate, versionFlag)) {
        return candidate;
      }
    }
    assumeTrue(false, name + " is not installed");
    throw new IllegalStateException("unreachable");
  }

  private static boolean runs(String program, String versionFlag) {
    try {
      return new ProcessBuilder(program, versionFlag)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * Starts a proxy and waits until it listens.
   *
   * @param folder its files; it gets no others
   * @param port the port on which it will listen
   */
  static ProxyProcess start(Path folder, int port, String... command) throws Exception {
    makeReadable(folder);
    Path log = folder.resolve("out.log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("XDG_CONFIG_HOME", folder.toString());
    builder.environment().put("XDG_DATA_HOME", folder.toString());
    ProxyProcess proxy = new ProxyProcess(builder.start(), log, port);
    proxy.awaitListening();
    return proxy;
  }

  /** The workers of a proxy that is started by root could not read the folder otherwise. */
  private static void makeReadable(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.map(Path::toFile).forEach(ProxyProcess::makeReadable);
    }
  }

  private static void makeReadable(File file) {
    if (!file.setReadable(true, false)
        || (file.isDirectory() && !file.setExecutable(true, false))) {
      throw new IllegalStateException("cannot make readable: " + file);
    }
  }

  private void awaitListening() throws Exception {
    for (int i = 0; i < 400; i++) {
      try {
        new RawConnection(port).close();
        return;
      } catch (IOException e) {
        if (!process.isAlive()) {
          break;
        }
        Thread.sleep(50);
      }
    }
    close();
    throw new AssertionError(Files.readString(log));
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      throw new IllegalStateException(e);
    }
  }
}
