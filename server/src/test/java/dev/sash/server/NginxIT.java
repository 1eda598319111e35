package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The block of docs/server.md, in a real nginx. */
class NginxIT {
  private static final int LIMIT = 5;
  private static final Path PAGE = Path.of("..", "docs", "server.md");

  @TempDir Path folder;

  @Test
  void letsExactlyTheLimitThrough() throws Exception {
    Optional<String> nginx =
        Stream.of("nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx")
            .filter(NginxIT::runs)
            .findFirst();
    assumeTrue(nginx.isPresent(), "nginx is not installed");
    String yaml =
        "policies: {web: {limit: %d/1h, key: ip}}\ntrusted-proxies: [127.0.0.1]".formatted(LIMIT);
    try (TestServer server = TestServer.start(yaml)) {
      int port = freePort();
      Files.writeString(folder.resolve("index.html"), "welcome");
      Process process = start(nginx.get(), configuration(server.port(), port));
      try {
        HttpClient client = HttpClient.newHttpClient();
        URI uri = URI.create("http://127.0.0.1:" + port + "/index.html");
        awaitListening(process, port);
        for (int i = 1; i <= LIMIT; i++) {
          HttpResponse<String> response = get(client, uri);
          assertThat(response.statusCode()).isEqualTo(200);
          assertThat(response.body()).isEqualTo("welcome");
          assertThat(response.headers().firstValue("RateLimit").orElse(""))
              .startsWith("\"web\";r=" + (LIMIT - i) + ";t=");
        }
        for (int i = 0; i < 3; i++) {
          HttpResponse<String> denied = get(client, uri);
          assertThat(denied.statusCode()).isEqualTo(429);
          assertThat(denied.headers().firstValue("Retry-After").map(Integer::valueOf).orElse(0))
              .isBetween(3500, 3600);
        }
      } finally {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      }
    }
  }

  private static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
        BodyHandlers.ofString());
  }

  private static boolean runs(String nginx) {
    try {
      return new ProcessBuilder(nginx, "-v")
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

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Path configuration(int sashPort, int port) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("```nginx\n") + "```nginx\n".length();
    String block =
        page.substring(start, page.indexOf("```", start))
            .replace("127.0.0.1:8080", "127.0.0.1:" + sashPort)
            .replace("listen 80;", "listen 127.0.0.1:" + port + ";")
            .replace("proxy_pass http://127.0.0.1:3000;", "root " + folder + ";");
    assertThat(block).contains("root " + folder).contains("listen 127.0.0.1:");
    String temporary =
        Stream.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            .map(name -> name + "_temp_path " + folder.resolve(name) + ";\n")
            .reduce("", String::concat);
    return Files.writeString(
        folder.resolve("nginx.conf"),
        """
        daemon off;
        worker_processes 1;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log;
        events {}
        http {
        access_log off;
        %2$s
        %3$s
        }
        """
            .formatted(folder, temporary, block));
  }

  private Process start(String nginx, Path configuration) throws IOException {
    // Whoever starts it as root has workers that could not read the folder.
    try (Stream<Path> files = Files.walk(folder)) {
      files.map(Path::toFile).forEach(NginxIT::readable);
    }
    File log = folder.resolve("out.log").toFile();
    return new ProcessBuilder(nginx, "-p", folder.toString(), "-c", configuration.toString())
        .redirectErrorStream(true)
        .redirectOutput(log)
        .start();
  }

  private static void readable(File file) {
    if (!file.setReadable(true, false)
        || (file.isDirectory() && !file.setExecutable(true, false))) {
      throw new IllegalStateException("cannot make readable: " + file);
    }
  }

  private void awaitListening(Process process, int port) throws Exception {
    for (int i = 0; i < 200; i++) {
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
    throw new AssertionError(Files.readString(folder.resolve("out.log")));
  }
}
