package dev.sash.client;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real nginx with {@code limit_req}, which serves one file. */
final class Nginx implements AutoCloseable {
  /** A request as nginx logged it. */
  record Served(double seconds, int status) {}

  private final Process process;
  private final Path folder;
  private final int port;

  private Nginx(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts nginx, or skips the test if it is not installed.
   *
   * @param folder for its files
   * @param rate for example {@code 2r/s}, which is one request in each half second
   */
  static Nginx start(Path folder, String rate) throws Exception {
    String program = installed();
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path file = Files.writeString(folder.resolve("orders"), "three orders");
    Path configuration = Files.writeString(folder.resolve("nginx.conf"), text(folder, port, rate));
    // Workers of an nginx that root starts run as somebody else.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    Process process =
        new ProcessBuilder(program, "-p", folder.toString(), "-c", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out.log").toFile())
            .start();
    Nginx nginx = new Nginx(process, folder, port);
    nginx.awaitListening();
    return nginx;
  }

  private static String installed() {
    for (String candidate : List.of("nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx")) {
      try {
        Process process =
            new ProcessBuilder(candidate, "-v")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() == 0) {
          return candidate;
        }
      } catch (IOException e) {
        // Not there.
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    assumeTrue(false, "nginx is not installed");
    throw new IllegalStateException("unreachable");
  }

  private static String text(Path folder, int port, String rate) {
    String temporary =
        Stream.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            .map(name -> name + "_temp_path " + folder.resolve(name) + ";\n")
            .reduce("", String::concat);
    return """
        daemon off;
        worker_processes 1;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log;
        events {}
        http {
          %2$s
          log_format served '$msec $status';
          access_log %1$s/served.log served;
          limit_req_zone $server_port zone=all:1m rate=%4$s;
          server {
            listen 127.0.0.1:%3$d;
            root %1$s;
            location / {
              limit_req zone=all;
              limit_req_status 429;
              add_header Retry-After 1 always;
            }
          }
        }
        """
        .formatted(folder, temporary, port, rate);
  }

  private void awaitListening() throws Exception {
    for (int i = 0; i < 400; i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        if (!process.isAlive()) {
          break;
        }
        Thread.sleep(50);
      }
    }
    close();
    throw new AssertionError(Files.readString(folder.resolve("out.log")));
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + port + "/orders");
  }

  /** Returns all requests so far; nginx logs a request when it has sent the response. */
  List<Served> served(int expected) throws Exception {
    List<String> lines;
    do {
      Thread.sleep(10);
      lines = Files.readAllLines(folder.resolve("served.log"));
    } while (lines.size() < expected);
    return lines.stream()
        .map(line -> line.split(" ", 2))
        .map(words -> new Served(Double.parseDouble(words[0]), Integer.parseInt(words[1])))
        .toList();
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
