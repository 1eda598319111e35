package dev.sash.spring;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;

/** An application that runs, on a free port, and a client of it. */
final class TestApp implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ConfigurableApplicationContext context;

  private TestApp(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static Builder servlet(Class<?>... sources) {
    return new Builder(WebApplicationType.SERVLET, sources);
  }

  static Builder reactive(Class<?>... sources) {
    return new Builder(WebApplicationType.REACTIVE, sources);
  }

  /** An application without HTTP. */
  static Builder plain(Class<?>... sources) {
    return new Builder(WebApplicationType.NONE, sources);
  }

  static final class Builder {
    private final WebApplicationType type;
    private final List<Class<?>> sources;
    private final List<String> excluded =
        new ArrayList<>(
            List.of(
                "boot.security.",
                "boot.data.redis.",
                "boot.actuate.",
                "boot.grpc.",
                "springframework.cloud."));
    private final List<String> properties =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "server.shutdown=immediate",
                "spring.main.banner-mode=off",
                "logging.level.root=warn"));

    private Builder(WebApplicationType type, Class<?>... sources) {
      this.type = type;
      this.sources = new ArrayList<>(List.of(sources));
    }

    Builder alsoWith(Class<?> source) {
      sources.add(source);
      return this;
    }

    Builder with(String... more) {
      properties.addAll(List.of(more));
      return this;
    }

    Builder withSecurity() {
      excluded.remove("boot.security.");
      return this;
    }

    Builder withSpringsRedis() {
      excluded.remove("boot.data.redis.");
      return this;
    }

    Builder withActuator() {
      excluded.remove("boot.actuate.");
      return this;
    }

    /** A gRPC server on the loopback interface. */
    Builder withGrpc() {
      excluded.remove("boot.grpc.");
      boolean isBoot40 = String.valueOf(SpringBootVersion.getVersion()).startsWith("4.0.");
      return with(
          "spring.grpc.server.port=0",
          (isBoot40 ? "spring.grpc.server.host" : "spring.grpc.server.address") + "=127.0.0.1");
    }

    /** Spring Cloud Gateway, of which one variant fits an application. */
    Builder withGateway() {
      excluded.remove("springframework.cloud.");
      excluded.addAll(
          type == WebApplicationType.REACTIVE
              ? List.of("cloud.gateway.server.mvc.")
              : List.of("cloud.gateway.config.", "cloud.gateway.discovery."));
      // Not Reactor's, whose event loops NettyAtOnce would stop under it.
      properties.add("spring.http.clients.imperative.factory=jdk");
      return this;
    }

    TestApp start() {
      List<String> candidates =
          ImportCandidates.load(AutoConfiguration.class, TestApp.class.getClassLoader())
              .getCandidates();
      List<String> exclusions =
          new ArrayList<>(
              candidates.stream().filter(c -> excluded.stream().anyMatch(c::contains)).toList());
      if (type == WebApplicationType.REACTIVE) {
        // It would come before Netty.
        exclusions.addAll(candidates.stream().filter(c -> c.contains("boot.tomcat.")).toList());
      }
      properties.add("spring.autoconfigure.exclude=" + String.join(",", exclusions));
      return new TestApp(
          new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
              .web(type)
              .initializers(
                  context -> ((GenericApplicationContext) context).registerBean(NettyAtOnce.class))
              .properties(properties.toArray(String[]::new))
              .run());
    }
  }

  /** Netty waits for two seconds before it stops, unless told otherwise. */
  static final class NettyAtOnce extends ReactorResourceFactory {
    NettyAtOnce() {
      setShutdownQuietPeriod(Duration.ZERO);
    }
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  URI uri(String path) {
    return URI.create(
        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    return send("GET", path, headers);
  }

  CompletableFuture<HttpResponse<String>> getLater(String path, String... headers) {
    return CLIENT.sendAsync(request("GET", path, headers), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String contentType, String body, String... headers) {
    return postLater(path, contentType, body, headers).join();
  }

  CompletableFuture<HttpResponse<String>> postLater(
      String path, String contentType, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .POST(BodyPublishers.ofString(body))
            .header("Content-Type", contentType);
    return CLIENT.sendAsync(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  HttpResponse<String> send(String method, String path, String... headers) throws Exception {
    return CLIENT.send(request(method, path, headers), BodyHandlers.ofString());
  }

  /** All at once. */
  List<Integer> statusesOf(int count, String path) {
    return IntStream.range(0, count)
        .mapToObj(i -> CLIENT.sendAsync(request("GET", path), BodyHandlers.discarding()))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .map(HttpResponse::statusCode)
        .toList();
  }

  /** All at once, in turns through several applications. */
  static List<Integer> statusesOf(int count, List<TestApp> apps, String path, String... headers) {
    return IntStream.range(0, count)
        .mapToObj(i -> apps.get(i % apps.size()).request("GET", path, headers))
        .map(request -> CLIENT.sendAsync(request, BodyHandlers.discarding()))
        .toList()
        .stream()
        .map(CompletableFuture::join)
        .map(HttpResponse::statusCode)
        .toList();
  }

  private HttpRequest request(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).method(method, BodyPublishers.noBody());
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  static String field(HttpResponse<?> response, String name) {
    return String.join(" & ", response.headers().allValues(name));
  }

  @Override
  public void close() {
    context.close();
  }
}
