package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The block of docs/server.md, in a real nginx. */
class NginxIT extends ForwardAuthProxyContract {
  private static final String API_KEY = "proxy_set_header X-Api-Key $http_x_api_key;";

  @Override
  String proxy() {
    return "nginx";
  }

  @Override
  ProxyProcess start(int sashPort, int applicationPort) throws Exception {
    String nginx =
        ProxyProcess.installed("nginx", "-v", "/usr/sbin/nginx", "/usr/local/sbin/nginx");
    int port = ProxyProcess.freePort();
    Path configuration = configuration(block(sashPort, applicationPort, port));
    return ProxyProcess.start(
        folder, port, nginx, "-p", folder.toString(), "-c", configuration.toString());
  }

  /** The block of the page; another field for keys is passed on in the same way. */
  String block(int sashPort, int applicationPort, int port) throws IOException {
    String block = block("nginx", sashPort, applicationPort);
    assertThat(block).contains("listen 80;").contains(API_KEY);
    return block
        .replace("listen 80;", "listen 127.0.0.1:" + port + ";")
        .replace(API_KEY, API_KEY + " proxy_set_header X-User $http_x_user;");
  }

  private Path configuration(String block) throws IOException {
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

  @Override
  void assertAdmitted(HttpResponse<String> response, int remaining) {
    assertThat(response.headers().firstValue("RateLimit").orElse(""))
        .startsWith("\"web\";r=" + remaining + ";t=");
  }

  /** nginx accepts requests with 32 KiB of header fields, and must not answer them with 500. */
  @Test
  void requestsWithAsManyHeaderFieldsAsNginxTakesAreDecided() throws Exception {
    String yaml =
        "policies: {web: {limit: 5/1h, key: ip}}\n"
            + "forwarded-by: nginx\ntrusted-proxies: [127.0.0.1]";
    try (TestServer server = TestServer.start(yaml);
        Application application = new Application();
        ProxyProcess proxy = start(server.port(), application.port())) {
      StringBuilder request = new StringBuilder("GET / HTTP/1.1\r\nHost: a\r\n");
      for (int i = 0; i < 4; i++) {
        request.append("Cookie: c").append(i).append('=').append("x".repeat(7_000)).append("\r\n");
      }
      request.append("Connection: close\r\n\r\n");
      try (RawConnection connection = new RawConnection(proxy.port())) {
        assertThat(connection.send(request.toString()).everything()).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
