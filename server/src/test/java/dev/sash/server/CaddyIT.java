package dev.sash.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/** The block of docs/server.md, in a real Caddy. */
class CaddyIT extends ForwardAuthProxyContract {
  private static final String SITE = "example.com {";

  @Override
  String proxy() {
    return "caddy";
  }

  @Override
  ProxyProcess start(int sashPort, int applicationPort) throws Exception {
    String caddy = ProxyProcess.installed("caddy", "version");
    int port = ProxyProcess.freePort();
    String block = block("caddy", sashPort, applicationPort);
    assertThat(block).contains(SITE);
    Path file =
        Files.writeString(
            folder.resolve("Caddyfile"),
            "{\n  admin off\n  auto_https off\n}\n"
                + block.replace(SITE, "http://:" + port + " {\n    bind 127.0.0.1"));
    return ProxyProcess.start(
        folder, port, caddy, "run", "--adapter", "caddyfile", "--config", file.toString());
  }
}
