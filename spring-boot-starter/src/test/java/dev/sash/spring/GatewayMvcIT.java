package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.cloud.gateway.server.mvc.filter.BeforeFilterFunctions.uri;
import static org.springframework.cloud.gateway.server.mvc.handler.GatewayRouterFunctions.route;
import static org.springframework.cloud.gateway.server.mvc.handler.HandlerFunctions.http;
import static org.springframework.cloud.gateway.server.mvc.predicate.GatewayRequestPredicates.path;

import dev.sash.LimiterRegistry;
import dev.sash.spring.gateway.mvc.SashFilterFunctions;
import dev.sash.testkit.ManualClock;
import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Routes of Spring Cloud Gateway Server WebMVC on Tomcat. */
@Timeout(120)
class GatewayMvcIT {
  private final Backend backend = Backend.start();

  /** Without routes in Java. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  /** A route in Java. */
  @Configuration(proxyBeanMethods = false)
  static class JavaRoute {
    @Bean
    RouterFunction<ServerResponse> orders(@Value("${backend}") String backend) {
      return route("orders")
          .route(path("/orders"), http())
          .before(uri(backend))
          .filter(SashFilterFunctions.rateLimit("search", 2))
          .build();
    }
  }

  @AfterEach
  void stopTheBackend() {
    backend.close();
  }

  private static TestApp start(Routes routes, String... more) {
    return TestApp.servlet(Application.class, TimedStore.class)
        .withGateway()
        .with(routes.properties())
        .with(more)
        .start();
  }

  private Routes routes() {
    return Routes.webMvc(backend);
  }

  @Test
  void aWindowOfAnyLengthIsExactAtItsBoundary() throws Exception {
    try (TestApp app =
        start(
            routes().filter("search", "SashRateLimit", "policy=search"),
            "sash.policies.search.limits=3/2s")) {
      ManualClock clock = app.bean(ManualClock.class);
      for (int remaining = 2; remaining >= 0; remaining--) {
        HttpResponse<String> admitted = app.get("/search");
        assertThat(admitted.statusCode()).isEqualTo(200);
        assertThat(admitted.body()).isEqualTo("from behind");
        assertThat(field(admitted, "RateLimit-Policy")).isEqualTo("\"search\";q=3;w=2");
        assertThat(field(admitted, "RateLimit")).isEqualTo("\"search\";r=" + remaining + ";t=2");
      }
      clock.advance(Duration.ofSeconds(2).minusNanos(1_000));
      HttpResponse<String> denied = app.get("/search");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "Retry-After")).isEqualTo("1");
      assertThat(field(denied, "Content-Type")).startsWith("application/problem+json");
      assertThat(denied.body()).contains("#quota-exceeded");
      assertThat(backend.requests()).isEqualTo(3);
      clock.advanceMicros(1);
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aShortcutIsEnoughAndTheRouteCanBePartOfTheKey() throws Exception {
    try (TestApp app =
        start(
            routes()
                .shortcut("search", "SashRateLimit=search")
                .shortcut("orders", "SashRateLimit=search,2"),
            "sash.policies.search.limits=2/1m",
            "sash.policies.search.key=route+header:X-User")) {
      assertThat(app.get("/search", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/search", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/search", "X-User", "ann").statusCode()).isEqualTo(429);
      assertThat(app.get("/orders", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/orders", "X-User", "ann").statusCode()).isEqualTo(429);
      assertThat(app.get("/orders", "X-User", "bob").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aRouteInJavaIsLimitedAsWell() throws Exception {
    try (TestApp app =
        TestApp.servlet(Application.class, TimedStore.class, JavaRoute.class)
            .withGateway()
            .with("backend=" + backend.uri(), "sash.policies.search.limits=2/1m")
            .start()) {
      assertThat(field(app.get("/orders"), "RateLimit")).isEqualTo("\"search\";r=0;t=60");
      assertThat(app.get("/orders").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void onlyTheStatusesOfThePolicyAreCharged() throws Exception {
    try (TestApp app =
        start(
            routes().shortcut("search", "SashRateLimit=failures"),
            "sash.policies.failures.limits=1/1m",
            "sash.policies.failures.charge-only-status=404")) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      assertThat(app.get("/search/missing").statusCode()).isEqualTo(404);
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void theFilterAndTheRouteEachChargeAndADenialByTheRouteRefundsTheFilter() throws Exception {
    try (TestApp app =
        start(
            routes().shortcut("search", "SashRateLimit=route"),
            "sash.policies.all.limits=10/1m",
            "sash.policies.all.paths=/**",
            "sash.policies.route.limits=1/1m")) {
      assertThat(field(app.get("/search"), "RateLimit"))
          .isEqualTo("\"all\";r=9;t=60, \"route\";r=0;t=60");
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
      assertThat(app.bean(LimiterRegistry.class).get("all").peek("ip:127.0.0.1").remaining())
          .isEqualTo(9);
    }
  }

  @Test
  void nothingIsLimitedIfSashIsDisabled() throws Exception {
    try (TestApp app =
        start(
            routes().shortcut("search", "SashRateLimit=search"),
            "sash.enabled=false",
            "sash.policies.search.limits=1/1m")) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theRuleDecidesWhileRedisIsGone() throws Exception {
    try (RedisServer server = RedisServer.start();
        TestApp app =
            TestApp.servlet(Application.class)
                .withGateway()
                .with(
                    routes()
                        .shortcut("search", "SashRateLimit=closed")
                        .shortcut("orders", "SashRateLimit=local")
                        .properties())
                .with(
                    "sash.redis.uri=" + server.uri(),
                    "sash.policies.closed.limits=100/1m",
                    "sash.policies.closed.failure-rule=closed",
                    "sash.policies.local.limits=2/1m")
                .start()) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      server.kill();
      HttpResponse<String> closed = app.get("/search");
      assertThat(closed.statusCode()).isEqualTo(503);
      assertThat(closed.body()).contains("#temporary-reduced-capacity");
      assertThat(app.statusesOf(3, "/orders")).containsExactlyInAnyOrder(200, 200, 429);
    }
  }

  @RepeatedTest(20)
  void of200ParallelRequestsExactlyTheLimitGetThrough() {
    try (TestApp app =
        start(
            routes().shortcut("search", "SashRateLimit=search"),
            "sash.policies.search.limits=50/1m")) {
      List<Integer> statuses = app.statusesOf(200, "/search");

      assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(150);
    }
  }
}
