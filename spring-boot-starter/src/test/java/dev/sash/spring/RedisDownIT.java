package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** Limits in a real Redis, and what decides when it is gone. */
@Timeout(120)
class RedisDownIT {
  /** Without a store of its own. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Shop.Plain.class)
  static class Application {}

  enum Framework {
    MVC(TestApp::servlet),
    WEBFLUX(TestApp::reactive);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<Class<?>[], TestApp.Builder> builder;

    Framework(Function<Class<?>[], TestApp.Builder> builder) {
      this.builder = builder;
    }

    TestApp.Builder app(Class<?>... sources) {
      return builder.apply(sources);
    }
  }

  private static TestApp start(Framework framework, RedisServer server, String... more) {
    return framework
        .app(Application.class)
        .withActuator()
        .with(
            "sash.redis.uri=" + server.uri(),
            "sash.policies.closed.limits=100/1m",
            "sash.policies.closed.paths=/api/items/closed",
            "sash.policies.closed.failure-rule=closed",
            "sash.policies.open.limits=2/1m",
            "sash.policies.open.paths=/api/items/open",
            "sash.policies.open.failure-rule=open",
            "sash.policies.local.limits=2/1m",
            "sash.policies.local.paths=/api/items/local",
            "management.endpoint.health.show-details=always")
        .with(more)
        .start();
  }

  @ParameterizedTest
  @EnumSource
  void of200ParallelRequestsExactlyTheLimitGetThrough(Framework framework) {
    try (RedisServer server = RedisServer.start();
        TestApp app =
            start(
                framework,
                server,
                "sash.policies.api.limits=50/1m",
                "sash.policies.api.deadline=10s",
                "sash.policies.api.paths=/api/hello")) {
      List<Integer> statuses = app.statusesOf(200, "/api/hello");

      assertThat(Collections.frequency(statuses, 200)).isEqualTo(50);
      assertThat(Collections.frequency(statuses, 429)).isEqualTo(150);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theRuleDecidesWhileRedisIsGoneAndTheApplicationStaysHealthy(Framework framework)
      throws Exception {
    try (RedisServer server = RedisServer.start();
        TestApp app = start(framework, server)) {
      assertThat(app.get("/api/items/closed").statusCode()).isEqualTo(200);
      assertThat(app.get("/actuator/health").body())
          .contains("\"sash\":{\"details\":{\"store\":\"redis\",\"redis\":\"answers\"}");
      server.kill();

      HttpResponse<String> closed = app.get("/api/items/closed");
      assertThat(closed.statusCode()).isEqualTo(503);
      assertThat(field(closed, "Retry-After")).isEqualTo("1");
      assertThat(closed.body()).contains("#temporary-reduced-capacity");
      for (int i = 0; i < 5; i++) {
        assertThat(app.get("/api/items/open").statusCode()).isEqualTo(200);
      }
      assertThat(app.get("/api/items/local").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/items/local").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/items/local").statusCode()).isEqualTo(429);

      assertThat(app.bean(RedisStore.class).isUp()).isFalse();
      HttpResponse<String> health = app.get("/actuator/health");
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(health.body())
          .contains("\"redis\":\"does not answer\"")
          .contains("\"decided by\":{\"closed\":\"CLOSED\",\"local\":\"LOCAL\",\"open\":\"OPEN\"}");
    }
  }

  @Test
  void anApplicationStartsWithoutItsRedis() throws Exception {
    RedisServer gone = RedisServer.start();
    gone.close();
    try (TestApp app = start(Framework.MVC, gone)) {
      assertThat(app.get("/api/items/local").statusCode()).isEqualTo(200);
      assertThat(app.get("/api/items/closed").statusCode()).isEqualTo(503);
    }
  }
}
