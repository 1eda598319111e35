package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.spring.gateway.GatewayLimit;
import dev.sash.spring.gateway.SashGatewayRateLimiter;
import dev.sash.spring.gateway.SashRateLimitGatewayFilterFactory;
import dev.sash.testkit.ManualClock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Routes of Spring Cloud Gateway on Netty, limited in memory while time passes by hand. */
@Timeout(120)
class GatewayIT {
  private final Backend backend = Backend.start();

  @AfterEach
  void stopTheBackend() {
    backend.close();
  }

  private static TestApp start(Routes routes, String... more) {
    return TestApp.reactive(GatewayApplication.class, TimedStore.class)
        .withGateway()
        .with(routes.properties())
        .with(more)
        .start();
  }

  private Routes routes() {
    return Routes.webFlux(backend);
  }

  @Test
  void aWindowOfAnyLengthIsExactAtItsBoundary() throws Exception {
    try (TestApp app = start(routes().limited("search", "sash-rate-limiter.limits=3/2s"))) {
      ManualClock clock = app.bean(ManualClock.class);
      for (int remaining = 2; remaining >= 0; remaining--) {
        HttpResponse<String> admitted = app.get("/search");
        assertThat(admitted.statusCode()).isEqualTo(200);
        assertThat(admitted.body()).isEqualTo("from behind");
        assertThat(field(admitted, "RateLimit-Policy")).isEqualTo("\"search\";q=3;w=2");
        assertThat(field(admitted, "RateLimit")).isEqualTo("\"search\";r=" + remaining + ";t=2");
        assertThat(field(admitted, "Retry-After")).isEmpty();
      }

      clock.advance(Duration.ofSeconds(2).minusNanos(1_000));
      HttpResponse<String> denied = app.get("/search");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "RateLimit")).isEqualTo("\"search\";r=0;t=1");
      assertThat(field(denied, "Retry-After")).isEqualTo("1");
      assertThat(field(denied, "Cache-Control")).isEqualTo("no-store");
      assertThat(backend.requests()).isEqualTo(3);

      clock.advanceMicros(1);
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aRequestAfterTheTimeInRetryAfterIsAdmittedAndOneSecondEarlierIsNot() throws Exception {
    try (TestApp app = start(routes().limited("search", "sash-rate-limiter.limits=1/1m"))) {
      ManualClock clock = app.bean(ManualClock.class);
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      clock.advance(Duration.ofMillis(700));
      HttpResponse<String> denied = app.get("/search");
      assertThat(field(denied, "Retry-After")).isEqualTo("60"); // 59.3 s, rounded up

      clock.advance(Duration.ofSeconds(59));
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
      clock.advance(Duration.ofSeconds(1));
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void severalLimitsHoldTogether() throws Exception {
    Routes routes =
        routes()
            .limited(
                "search",
                "sash-rate-limiter.limits=2/1s, 10/1h sliding-counter",
                "sash-rate-limiter.permits=2");
    try (TestApp app = start(routes)) {
      HttpResponse<String> admitted = app.get("/search");
      assertThat(field(admitted, "RateLimit-Policy"))
          .isEqualTo("\"search:2/1s\";q=2;w=1, \"search:10/1h\";q=10;w=3600");
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void routesWithLimitsShareNothingAndNeitherDoKeys() throws Exception {
    Routes routes =
        routes()
            .limited("search", "sash-rate-limiter.limits=1/1m")
            .limited("orders", "sash-rate-limiter.limits=1/1m");
    try (TestApp app = start(routes)) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
      assertThat(app.get("/search", "X-User", "bob").statusCode()).isEqualTo(200);
      assertThat(app.get("/orders").statusCode()).isEqualTo(200);
      assertThat(app.get("/orders").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void routesShareThePolicyThatTheyNameUnlessItIsByRoute() throws Exception {
    Routes routes =
        routes()
            .limited("search", "sash-rate-limiter.policy=shared")
            .limited("orders", "sash-rate-limiter.policy=shared")
            .limited("users", "sash-rate-limiter.policy=shared", "sash-rate-limiter.by-route=true")
            .limited("carts", "sash-rate-limiter.policy=shared", "sash-rate-limiter.byRoute=true");
    try (TestApp app = start(routes, "sash.policies.shared.limits=1/1m")) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      HttpResponse<String> denied = app.get("/orders");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "RateLimit-Policy")).isEqualTo("\"shared\";q=1;w=60");
      assertThat(app.get("/users").statusCode()).isEqualTo(200);
      assertThat(app.get("/users").statusCode()).isEqualTo(429);
      assertThat(app.get("/carts").statusCode()).isEqualTo(200);
      assertThat(app.bean(LimiterRegistry.class).get("shared").peek("ann").remaining()).isZero();
    }
  }

  @Test
  void theOlderFieldsAreWrittenIfTheyAreConfigured() throws Exception {
    Routes routes = routes().limited("search", "sash-rate-limiter.limits=3/1m");
    try (TestApp app = start(routes, "sash.web.fields=x-ratelimit-delta")) {
      HttpResponse<String> admitted = app.get("/search");
      assertThat(field(admitted, "X-RateLimit-Limit")).isEqualTo("3");
      assertThat(field(admitted, "X-RateLimit-Remaining")).isEqualTo("2");
      assertThat(field(admitted, "X-RateLimit-Reset")).isEqualTo("60");
      assertThat(field(admitted, "RateLimit")).isEmpty();
    }
  }

  @Test
  void defaultFiltersLimitEveryRouteByItself() throws Exception {
    Routes routes =
        routes().shortcut("search", "StripPrefix=0").shortcut("orders", "StripPrefix=0");
    String filter = "spring.cloud.gateway.server.webflux.default-filters[0].";
    try (TestApp app =
        start(
            routes,
            filter + "name=RequestRateLimiter",
            filter + "args.sash-rate-limiter.limits=1/1m")) {
      assertThat(app.get("/search").statusCode()).isEqualTo(200);
      assertThat(app.get("/search").statusCode()).isEqualTo(429);
      assertThat(app.get("/orders").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void ourFilterNeedsNoKeyResolverAndAnswersWithAProblem() throws Exception {
    Routes routes =
        routes()
            .shortcut("search", "SashRateLimit=search")
            .shortcut("orders", "SashRateLimit=search,2");
    try (TestApp app =
        start(
            routes,
            "sash.policies.search.limits=2/1m",
            "sash.policies.search.key=route+header:X-User")) {
      HttpResponse<String> admitted = app.get("/search", "X-User", "ann");
      assertThat(admitted.statusCode()).isEqualTo(200);
      assertThat(field(admitted, "RateLimit")).isEqualTo("\"search\";r=1;t=60");
      assertThat(app.get("/search", "X-User", "ann").statusCode()).isEqualTo(200);
      HttpResponse<String> denied = app.get("/search", "X-User", "ann");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "Content-Type")).isEqualTo("application/problem+json");
      assertThat(denied.body()).contains("#quota-exceeded").contains("\"search\"");
      assertThat(field(denied, "Retry-After")).isEqualTo("60");

      assertThat(app.get("/orders", "X-User", "ann").statusCode()).isEqualTo(200);
      assertThat(app.get("/orders", "X-User", "ann").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void ourFilterChargesTheStatusesOfThePolicyOnly() throws Exception {
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
  void theWebFilterAndTheRouteEachChargeAndADenialByTheRouteRefundsTheFilter() throws Exception {
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
    Routes routes =
        routes()
            .limited("search", "sash-rate-limiter.limits=1/1m")
            .shortcut("orders", "SashRateLimit=orders");
    try (TestApp app = start(routes, "sash.enabled=false", "sash.policies.orders.limits=1/1m")) {
      for (int i = 0; i < 3; i++) {
        assertThat(app.get("/search").statusCode()).isEqualTo(200);
        assertThat(app.get("/orders").statusCode()).isEqualTo(200);
      }
    }
  }

  /** Routes in Java. */
  @Configuration(proxyBeanMethods = false)
  static class JavaRoutes {
    @Bean
    RouteLocator javaRoutes(
        RouteLocatorBuilder builder,
        SashGatewayRateLimiter limiter,
        SashRateLimitGatewayFilterFactory sash,
        @Value("${backend}") String uri) {
      limiter.getConfig().put("search", new GatewayLimit().setLimits(List.of("1/1m")));
      return builder
          .routes()
          .route(
              "search",
              route ->
                  route
                      .path("/search")
                      .filters(f -> f.requestRateLimiter(c -> c.setRateLimiter(limiter)))
                      .uri(uri))
          .route(
              "orders",
              route ->
                  route
                      .path("/orders")
                      .filters(f -> f.filter(sash.apply(c -> c.setPolicy("orders"))))
                      .uri(uri))
          .build();
    }
  }

  @Test
  void routesInJavaAreLimitedAsWell() throws Exception {
    try (TestApp app =
        TestApp.reactive(GatewayApplication.class, TimedStore.class, JavaRoutes.class)
            .withGateway()
            .with("backend=" + backend.uri(), "sash.policies.orders.limits=1/1m")
            .start()) {
      for (String path : List.of("/search", "/orders")) {
        assertThat(app.get(path).statusCode()).isEqualTo(200);
        assertThat(app.get(path).statusCode()).isEqualTo(429);
      }
    }
  }

  @RepeatedTest(20)
  void of200ParallelRequestsExactlyTheLimitGetThrough() {
    try (TestApp app = start(routes().limited("search", "sash-rate-limiter.limits=50/1m"))) {
      List<Integer> statuses = app.statusesOf(200, "/search");

      assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(150);
      assertThat(backend.requests()).isEqualTo(50);
    }
  }
}
