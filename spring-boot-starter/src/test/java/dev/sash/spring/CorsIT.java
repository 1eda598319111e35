package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.sash.LimiterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.filter.CorsFilter;

/** Requests of pages of other origins, which read responses only if these say so. */
@Timeout(120)
class CorsIT {
  private static final String PAGE = "https://shop.example";
  private static final List<String> EXPOSED =
      List.of("RateLimit", "RateLimit-Policy", "Retry-After");

  @RestController
  static class Annotated {
    @CrossOrigin(
        originPatterns = {PAGE, "http://localhost:[*]"},
        exposedHeaders = {"RateLimit", "RateLimit-Policy", "Retry-After"},
        allowedHeaders = "X-Custom")
    @GetMapping("/api/open")
    String open() {
      return "open";
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Filters {
    private static CorsConfiguration configuration() {
      CorsConfiguration configuration = new CorsConfiguration();
      configuration.addAllowedOrigin(PAGE);
      configuration.setExposedHeaders(EXPOSED);
      return configuration;
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    CorsFilter corsFilter() {
      return new CorsFilter(request -> configuration());
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    CorsWebFilter corsWebFilter() {
      return new CorsWebFilter(exchange -> configuration());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Sources {
    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    org.springframework.web.cors.CorsConfigurationSource corsConfigurationSource() {
      return request -> Filters.configuration();
    }

    @Bean("corsConfigurationSource")
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    org.springframework.web.cors.reactive.CorsConfigurationSource reactiveSource() {
      return exchange -> Filters.configuration();
    }
  }

  private static TestApp start(WebApplicationType type, Class<?>... sources) {
    return (type == WebApplicationType.SERVLET
            ? TestApp.servlet(sources)
            : TestApp.reactive(sources))
        .with("sash.policies.api.limits=2/1m", "sash.policies.api.paths=/api/**")
        .start();
  }

  private static HttpResponse<String> preflight(TestApp app, String origin) throws Exception {
    return app.send(
        "OPTIONS", "/api/open", "Origin", origin, "Access-Control-Request-Method", "GET");
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void preflightsAreNeitherChargedNorDenied(WebApplicationType type) throws Exception {
    try (TestApp app = start(type, Shop.class, Annotated.class)) {
      for (int i = 0; i < 10; i++) {
        assertThat(preflight(app, PAGE).statusCode()).isEqualTo(200);
      }
      assertThat(app.bean(LimiterRegistry.class).get("api").peek("ip:127.0.0.1").used()).isZero();

      assertThat(app.get("/api/open").statusCode()).isEqualTo(200);
      assertThat(app.send("OPTIONS", "/api/open").statusCode()).as("no preflight").isEqualTo(200);
      assertThat(app.send("OPTIONS", "/api/open").statusCode()).isEqualTo(429);
      assertThat(preflight(app, PAGE).statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void denialsHaveTheFieldsOfTheApplication(WebApplicationType type) throws Exception {
    for (Class<?> configuration : List.of(Annotated.class, Filters.class, Sources.class)) {
      try (TestApp app = start(type, Shop.class, Annotated.class, configuration)) {
        app.get("/api/open");
        app.get("/api/open");

        HttpResponse<String> denied = app.get("/api/open", "Origin", PAGE);
        assertThat(denied.statusCode()).as("with %s", configuration).isEqualTo(429);
        assertThat(field(denied, "Access-Control-Allow-Origin")).isEqualTo(PAGE);
        assertThat(field(denied, "Access-Control-Expose-Headers"))
            .isEqualTo("RateLimit, RateLimit-Policy, Retry-After");
        assertThat(denied.body()).contains("quota-exceeded");

        HttpResponse<String> stranger = app.get("/api/open", "Origin", "https://evil.example");
        assertThat(stranger.statusCode()).isEqualTo(429);
        assertThat(field(stranger, "Access-Control-Allow-Origin")).isEmpty();
        assertThat(stranger.body()).contains("quota-exceeded");
      }
    }
  }

  private static final String SCRIPT =
      """
      <!doctype html><meta charset="utf-8"><title>a page</title>
      <script>
        (async () => {
          const seen = [];
          for (let i = 0; i < 4; i++) {
            try {
              const response = await fetch("APP/api/open", {headers: {"X-Custom": "preflight"}});
              seen.push(response.status + ":" + response.headers.get("RateLimit")
                  + ":" + response.headers.get("Retry-After"));
            } catch (e) {
              seen.push("unreadable");
            }
          }
          await fetch("/done", {method: "POST", body: seen.join(" ")});
        })();
      </script>
      """;

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = Mode.EXCLUDE)
  void aPageInChromiumReadsADenial(WebApplicationType type, @TempDir Path folder) throws Exception {
    Path chromium = Path.of("/usr/bin/chromium");
    assumeTrue(Files.isExecutable(chromium), "Chromium is not installed");
    CompletableFuture<String> outcome = new CompletableFuture<>();
    try (TestApp app = start(type, Shop.class, Annotated.class)) {
      HttpServer pages = pages(SCRIPT.replace("APP", app.uri("").toString()), outcome);
      Process browser =
          open(chromium, folder, "http://localhost:" + pages.getAddress().getPort() + "/");
      try {
        assertThat(outcome.get(60, TimeUnit.SECONDS))
            .isEqualTo(
                "200:\"api\";r=1;t=60:null 200:\"api\";r=0;t=60:null"
                    + " 429:\"api\";r=0;t=60:60 429:\"api\";r=0;t=60:60");
      } finally {
        browser.descendants().forEach(ProcessHandle::destroyForcibly);
        browser.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        pages.stop(0);
      }
    }
  }

  private static HttpServer pages(String page, CompletableFuture<String> outcome)
      throws IOException {
    HttpServer pages =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    pages.createContext(
        "/",
        exchange -> {
          if (exchange.getRequestURI().getPath().equals("/done")) {
            outcome.complete(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          }
          byte[] bytes = page.getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    pages.start();
    return pages;
  }

  private static Process open(Path chromium, Path folder, String url) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            chromium.toString(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-port=0",
            "--user-data-dir=" + folder.resolve("profile"),
            url);
    builder.environment().putAll(Map.of("HOME", folder.toString()));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("browser.log").toFile())
        .start();
  }
}
