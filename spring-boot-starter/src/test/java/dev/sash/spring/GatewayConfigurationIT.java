package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.memory.InMemoryStore;
import dev.sash.spring.gateway.SashGatewayRateLimiter;
import dev.sash.testkit.redis.RedisServer;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.handler.predicate.PredicateDefinition;
import org.springframework.cloud.gateway.route.InMemoryRouteDefinitionRepository;
import org.springframework.cloud.gateway.route.RouteDefinition;
import reactor.core.publisher.Mono;

/** Routes that are wrong end the start, and Gateway's own rate limiter stays what it was. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class GatewayConfigurationIT {
  private final Backend backend = Backend.start();

  @AfterEach
  void stopTheBackend() {
    backend.close();
  }

  private static TestApp.Builder webFlux(Routes routes) {
    return TestApp.reactive(GatewayApplication.class, TimedStore.class)
        .withGateway()
        .with(routes.properties())
        .with("sash.policies.search.limits=1/1m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "policy=serach; policy; must be one of [search], was 'serach'",
        "limits=100 per fortnight; limits; limit '100 per fortnight'",
        "limits=3/2s,4/2s; limits; ",
        "polcy=search; polcy; is unknown; the arguments are",
        "permits=0; permits; must be between 1 and 1000000000, was 0",
        "permits=many; permits; must be a whole number, was 'many'",
        "failure-rule=half; failure-rule; must be one of [open, closed, local], was 'half'",
        "limits=1/1m|by-route=false; by-route; must not be false with limits",
        "limits=1/1m|deadline=-1s; deadline; ",
        "limits=1/1m|policy=search; limits; must not be set together with policy",
        "policy=search|deadline=1s; deadline; must not be set together with policy",
        "policy=search|failure-rule=open; failure-rule; must not be set together with policy"
      })
  void aWrongArgumentEndsTheStartAndIsNamedWithItsRoute(
      String arguments, String argument, String reason) {
    String[] args = arguments.split("\\|");
    for (int i = 0; i < args.length; i++) {
      args[i] = "sash-rate-limiter." + args[i];
    }
    TestApp.Builder app = webFlux(Routes.webFlux(backend).limited("find", args));

    assertThatThrownBy(() -> app.start().close())
        .hasStackTraceContaining("route 'find', sash-rate-limiter." + argument + ": ")
        .hasStackTraceContaining(reason == null ? "" : reason);
  }

  @Test
  void aRouteWithoutALimitEndsTheStart() {
    assertThatThrownBy(() -> webFlux(Routes.webFlux(backend).limited("find")).start().close())
        .hasStackTraceContaining("route 'find', sash-rate-limiter.policy: must be set");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SashRateLimit=serach; policy must be one of [search], was 'serach'",
        "SashRateLimit=search,0; permits must be between 1 and 1000000000, was",
        "SashRateLimit=search,many; was"
      })
  void aWrongFilterEndsTheStart(String filter, String reason) {
    assertThatThrownBy(
            () -> webFlux(Routes.webFlux(backend).shortcut("find", filter)).start().close())
        .hasStackTraceContaining("route 'find', SashRateLimit: ")
        .hasStackTraceContaining(reason);
    assertThatThrownBy(
            () ->
                TestApp.servlet(GatewayMvcIT.Application.class, TimedStore.class)
                    .withGateway()
                    .with(Routes.webMvc(backend).shortcut("find", filter).properties())
                    .with("sash.policies.search.limits=1/1m")
                    .start()
                    .close())
        .hasStackTraceContaining("route 'find', SashRateLimit: ")
        .hasStackTraceContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SashRateLimit=serach; SashRateLimit: policy must be one of [search], was 'serach'",
        "RequestRateLimiter; sash-rate-limiter.policy: must be one of [search], was 'serach'"
      })
  void aWrongRouteThatIsAddedLaterFailsTheRefreshAndTheOthersStay(
      String filter, String reason, CapturedOutput output) throws Exception {
    RouteDefinition late = new RouteDefinition();
    late.setId("late");
    late.setUri(URI.create(backend.uri()));
    late.setPredicates(List.of(new PredicateDefinition("Path=/late")));
    FilterDefinition definition = new FilterDefinition();
    definition.setName(filter.replaceFirst("=.*", ""));
    definition.addArg(filter.contains("=") ? "_genkey_0" : "sash-rate-limiter.policy", "serach");
    late.setFilters(List.of(definition));
    try (TestApp app =
        webFlux(Routes.webFlux(backend).limited("find", "sash-rate-limiter.policy=search"))
            .start()) {
      app.bean(InMemoryRouteDefinitionRepository.class).save(Mono.just(late)).block();
      app.context().publishEvent(new RefreshRoutesEvent(this));

      assertThat(output).contains("route 'late', " + reason);
      assertThat(app.get("/find").statusCode()).isEqualTo(200);
      assertThat(app.get("/find").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void gatewaysOwnRateLimiterStaysTheDefaultAndOursIsNamed() throws Exception {
    Routes routes =
        Routes.webFlux(backend)
            .limited(
                "old", "redis-rate-limiter.replenishRate=1", "redis-rate-limiter.burstCapacity=100")
            .limited(
                "new", "rate-limiter=#{@sashGatewayRateLimiter}", "sash-rate-limiter.limits=1/1m");
    try (RedisServer server = RedisServer.start();
        TestApp app =
            webFlux(routes)
                .withSpringsRedis()
                .with(
                    "spring.data.redis.host=" + server.host(),
                    "spring.data.redis.port=" + server.port())
                .start()) {
      assertThat(app.bean(InMemoryStore.class)).isNotNull();
      assertThat(app.bean(RequestRateLimiterGatewayFilterFactory.class).getDefaultRateLimiter())
          .isInstanceOf(RedisRateLimiter.class);
      for (int i = 0; i < 3; i++) {
        assertThat(app.get("/old").statusCode()).isEqualTo(200);
      }
      assertThat(app.get("/new").statusCode()).isEqualTo(200);
      assertThat(app.get("/new").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void oursIsTheDefaultWithoutAnotherAndItsPolicyIsUsed(CapturedOutput output) {
    try (TestApp app =
        webFlux(Routes.webFlux(backend).limited("find", "sash-rate-limiter.policy=search"))
            .start()) {
      assertThat(app.bean(RequestRateLimiterGatewayFilterFactory.class).getDefaultRateLimiter())
          .isInstanceOf(SashGatewayRateLimiter.class);
      assertThat(output).doesNotContain("limits nothing");
    }
  }
}
