package dev.sash.server;

import dev.sash.server.http.HttpOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** A server on a free port, with a configuration of its own, and a client for it. */
final class TestServer implements AutoCloseable {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private final Path file;
  private final SashServer server;

  private TestServer(Path file, SashServer server) {
    this.file = file;
    this.server = server;
  }

  static TestServer start(String yaml) {
    return start(yaml, UnaryOperator.identity());
  }

  static TestServer start(String yaml, UnaryOperator<ServerOptions> options) {
    return start(yaml, UnaryOperator.identity(), options);
  }

  static TestServer start(
      String yaml, UnaryOperator<HttpOptions> http, UnaryOperator<ServerOptions> options) {
    try {
      Path file = Files.createTempFile("sash", ".yaml");
      Files.writeString(file, yaml);
      ServerOptions plain = ServerOptions.of(http.apply(HttpOptions.at("127.0.0.1", 0)));
      return new TestServer(file, SashServer.start(options.apply(plain.withConfiguration(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.port();
  }

  SashServer server() {
    return server;
  }

  /** Replaces the configuration's file. */
  void write(String yaml) throws IOException {
    Files.writeString(file, yaml);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofSeconds(20))
        .version(HttpClient.Version.HTTP_1_1);
  }

  HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  HttpResponse<String> post(String path, String body) {
    return send(request(path).POST(BodyPublishers.ofString(body)));
  }

  static HttpResponse<String> send(HttpRequest.Builder builder) {
    try {
      return HTTP.send(builder.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.close();
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
