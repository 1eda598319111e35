package dev.sash.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Proxies that limit by themselves, each by a limit that is never reached, for keys that come in
 * the query: {@code /ok?key=7}.
 */
final class Peers {
  private static final List<String> FOLDERS =
      List.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin");

  private Peers() {}

  /** Where a program is; empty if it is not installed. */
  static Optional<Path> find(String program) {
    Stream<String> path = Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1));
    return Stream.concat(path, FOLDERS.stream())
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** nginx that serves a file of two bytes under {@code limit_req}. */
  static ServerProcess nginx(Path program, Path folder) throws IOException {
    int port = ServerProcess.freePort();
    Path home = Files.createDirectories(folder.resolve("nginx"));
    Files.writeString(home.resolve("ok"), "ok");
    Path config = home.resolve("nginx.conf");
    Files.writeString(
        config,
        """
        daemon off;
        user %3$s;
        worker_processes 1;
        error_log stderr;
        pid %1$s/nginx.pid;
        events {
          worker_connections 1024;
        }
        http {
          access_log off;
          keepalive_requests 1000000000;
          sendfile on;
          open_file_cache max=10;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          limit_req_zone $arg_key zone=keys:64m rate=100000r/s;
          limit_req_status 429;
          server {
            listen 127.0.0.1:%2$d;
            location / {
              root %1$s;
              limit_req zone=keys burst=100000 nodelay;
            }
          }
        }
        """
            .formatted(home.toAbsolutePath(), port, System.getProperty("user.name")));
    String file = config.toAbsolutePath().toString();
    return ServerProcess.start(
        List.of(program.toString(), "-e", "stderr", "-c", file), port, folder.resolve("nginx.log"));
  }

  /** HAProxy that answers by itself, and counts in a stick table. */
  static ServerProcess haproxy(Path program, Path folder) throws IOException {
    int port = ServerProcess.freePort();
    Path config = folder.resolve("haproxy.cfg");
    Files.writeString(
        config,
        """
        global
          nbthread 1
        defaults
          mode http
          timeout client 60s
          timeout connect 1s
          timeout server 1s
          timeout http-request 60s
        frontend limited
          bind 127.0.0.1:%d
          stick-table type string len 64 size 1m expire 60s store http_req_rate(60s)
          http-request track-sc0 url_param(key)
          http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1000000 }
          http-request return status 200 content-type text/plain string ok
        """
            .formatted(port));
    return ServerProcess.start(
        List.of(program.toString(), "-db", "-f", config.toAbsolutePath().toString()),
        port,
        folder.resolve("haproxy.log"));
  }
}
