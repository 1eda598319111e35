package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.LimiterRegistry;
import dev.sash.MicroClock;
import dev.sash.redis.RedisStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreDecorator;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Requests that wait for permits, on real servers. */
@Timeout(120)
class MaxWaitIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String ME = "ip:127.0.0.1";

  @TempDir Path folder;

  private static TestApp.Builder app(WebApplicationType type, Class<?>... sources) {
    return (type == WebApplicationType.SERVLET
            ? TestApp.servlet(sources)
            : TestApp.reactive(sources))
        .with("server.tomcat.threads.max=1");
  }

  private static TestApp.Builder api(TestApp.Builder app, String limits, String maxWait) {
    return app.with(
        "sash.policies.api.limits=" + limits,
        "sash.policies.api.paths=/api/**",
        "sash.policies.api.max-wait=" + maxWait);
  }

  private static long used(TestApp app, String policy, String key) {
    return app.bean(LimiterRegistry.class).get(policy).peek(key).used();
  }

  /** The time of the store, for alarms of requests only: the store has alarms of its own. */
  @Configuration(proxyBeanMethods = false)
  static class Alarms {
    final ManualClock clock = new ManualClock();

    @Bean
    StoreCustomizer alarms() {
      return store ->
          new StoreDecorator(store) {
            @Override
            public Decision decide(
                Operation operation, ResolvedLimits limits, String key, long permits) {
              return store.decide(operation, limits, key, permits);
            }

            @Override
            public MicroClock clock() {
              return clock;
            }
          };
    }
  }

  /** Waits until so many requests sleep. */
  private static void awaitAsleep(TestApp app, int count) throws InterruptedException {
    while (app.bean(Alarms.class).clock.waiting() != count) {
      Thread.sleep(5);
    }
  }

  private static void advance(TestApp app, Duration duration) {
    app.bean(ManualClock.class).advance(duration);
    app.bean(Alarms.class).clock.advance(duration);
  }

  private static HttpResponse<String> done(CompletableFuture<HttpResponse<String>> response)
      throws Exception {
    return response.get(60, TimeUnit.SECONDS);
  }

  private static List<CompletableFuture<HttpResponse<String>>> sendInTurn(TestApp app, int count)
      throws InterruptedException {
    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      responses.add(app.getLater("/api/hello"));
      awaitAsleep(app, i + 1);
    }
    return responses;
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void requestsWaitWithoutAThreadAndInOrderOfArrival(WebApplicationType type) throws Exception {
    try (TestApp app = api(app(type, Shop.class, Alarms.class), "1/1s", "10s").start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      List<CompletableFuture<HttpResponse<String>>> responses = sendInTurn(app, 6);

      assertThat(app.get("/elsewhere").statusCode())
          .as("Tomcat has one thread, which has time for another request")
          .isEqualTo(404);
      assertThat(responses).noneMatch(CompletableFuture::isDone);
      for (int i = 0; i < 6; i++) {
        awaitAsleep(app, 6 - i);
        advance(app, SECOND);
        HttpResponse<String> response = done(responses.get(i));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(field(response, "RateLimit")).isEqualTo("\"api\";r=0;t=1");
        assertThat(responses.subList(i + 1, 6)).noneMatch(CompletableFuture::isDone);
      }
      assertThat(used(app, "api", ME)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void whatDoesNotFitInTimeIsDeniedAtOnce(WebApplicationType type) throws Exception {
    try (TestApp app =
        api(app(type, Shop.class, Alarms.class), "1/1s", "2500ms")
            .with("sash.policies.api.max-waiting=1")
            .start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      List<CompletableFuture<HttpResponse<String>>> responses = sendInTurn(app, 1);
      HttpResponse<String> tooMany = app.get("/api/hello");
      assertThat(tooMany.statusCode()).isEqualTo(429);
      assertThat(field(tooMany, "Retry-After")).isEqualTo("2");
      assertThat(field(tooMany, "RateLimit")).isEqualTo("\"api\";r=0;t=2");
      advance(app, SECOND);
      assertThat(done(responses.get(0)).statusCode()).isEqualTo(200);

      assertThat(used(app, "api", ME)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void theExampleInTheDocumentationDoesWhatThePageSays(WebApplicationType type) throws Exception {
    String yaml =
        Page.blocks("yaml").stream().filter(b -> b.contains("max-wait:")).findFirst().orElseThrow();
    Path configuration = Files.writeString(folder.resolve("application.yaml"), yaml);
    try (TestApp app =
        app(type, Shop.class, Alarms.class)
            .with("spring.config.location=" + configuration.toUri())
            .start()) {
      for (int i = 0; i < 20; i++) {
        assertThat(app.get("/api/search").statusCode()).isEqualTo(404); // admitted
      }
      List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        responses.add(app.getLater("/api/search"));
        awaitAsleep(app, i + 1);
      }
      for (int i = 0; i < 6; i++) {
        assertThat(app.get("/api/search").statusCode()).isEqualTo(429);
      }
      for (int i = 0; i < 4; i++) {
        assertThat(responses.subList(i, 4)).noneMatch(CompletableFuture::isDone);
        awaitAsleep(app, 4 - i);
        advance(app, Duration.ofMillis(50));
        assertThat(done(responses.get(i)).statusCode()).isEqualTo(404);
      }
    }
  }

  @Test
  void aThreadWaitsIfItIsConfiguredTo() throws Exception {
    try (TestApp app =
        api(app(WebApplicationType.SERVLET, Shop.class, Alarms.class), "1/1s", "1s")
            .with("sash.web.wait-for-decisions=true")
            .start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      List<CompletableFuture<HttpResponse<String>>> responses = sendInTurn(app, 1);
      advance(app, SECOND);
      assertThat(done(responses.get(0)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aClientThatDisconnectsIsWithdrawn() throws Exception {
    try (TestApp app =
        api(app(WebApplicationType.REACTIVE, Shop.class, Alarms.class), "1/1s", "5s").start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
      try (Socket client = connected(app)) {
        client
            .getOutputStream()
            .write(
                "GET /api/hello HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        awaitAsleep(app, 1);
      }
      awaitAsleep(app, 0);
      advance(app, SECOND);

      assertThat(used(app, "api", ME)).isZero();
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
    }
  }

  private static Socket connected(TestApp app) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), app.uri("/").getPort());
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void nothingStaysChargedBeforeSecurityWhileARequestWaitsAfterIt(WebApplicationType type)
      throws Exception {
    String ann =
        "Basic "
            + Base64.getEncoder().encodeToString("ann:s3cret".getBytes(StandardCharsets.UTF_8));
    try (TestApp app =
        app(type, Shop.class, Alarms.class)
            .withSecurity()
            .with("spring.security.user.name=ann", "spring.security.user.password=s3cret")
            .with("sash.policies.address.limits=9/1h", "sash.policies.address.paths=/api/**")
            .with("sash.policies.person.limits=1/1s", "sash.policies.person.paths=/api/**")
            .with("sash.policies.person.key=user", "sash.policies.person.max-wait=1s")
            .start()) {
      assertThat(app.get("/api/hello", "Authorization", ann).statusCode()).isEqualTo(200);
      CompletableFuture<HttpResponse<String>> waits =
          app.getLater("/api/hello", "Authorization", ann);
      awaitAsleep(app, 1);
      assertThat(used(app, "address", ME)).isEqualTo(1);
      advance(app, SECOND);

      assertThat(done(waits).statusCode()).isEqualTo(200);
      assertThat(field(done(waits), "RateLimit"))
          .isEqualTo("\"address\";r=7;t=3600, \"person\";r=0;t=1");
      assertThat(used(app, "address", ME)).isEqualTo(2);
      assertThat(used(app, "person", "user:ann")).isEqualTo(1);
    }
  }

  /** The shop without its own store. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Shop.Plain.class)
  static class OnRedis {}

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void requestsWaitForPermitsOnRedis(WebApplicationType type) throws Exception {
    try (RedisServer redis = RedisServer.start();
        TestApp app =
            api(app(type, OnRedis.class), "2/200ms", "10s")
                .with("sash.redis.uri=" + redis.uri(), "sash.policies.api.deadline=10s")
                .with("sash.policies.api.failure-rule=closed")
                .with("sash.policies.rare.limits=1/1h", "sash.policies.rare.paths=/api/rare")
                .with("sash.policies.rare.max-wait=10s")
                .start()) {
      assertThat(app.bean(RedisStore.class).isUp()).isTrue();
      long start = System.nanoTime();
      List<Integer> statuses = app.statusesOf(8, "/api/hello");

      assertThat(statuses).hasSize(8).containsOnly(200);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(590));
      assertThat(app.get("/api/rare").statusCode()).isEqualTo(404);
      HttpResponse<String> denied = app.get("/api/rare");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "Retry-After")).isEqualTo("3600");
    }
  }
}
