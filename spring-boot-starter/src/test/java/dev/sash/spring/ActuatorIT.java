package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The endpoint and the meters, under MVC and WebFlux. */
@Timeout(120)
class ActuatorIT {
  private static List<TestApp.Builder> frameworks() {
    List<Supplier<TestApp.Builder>> all =
        List.of(() -> TestApp.servlet(Shop.class), () -> TestApp.reactive(Shop.class));
    return all.stream()
        .map(Supplier::get)
        .map(
            builder ->
                builder
                    .withActuator()
                    .with(
                        "sash.policies.api.limits=5/1m, 100/1h sliding-counter",
                        "sash.policies.api.paths=/api/**",
                        "sash.policies.api.methods=GET",
                        "management.endpoints.web.exposure.include=sash,health,metrics"))
        .toList();
  }

  @Test
  void tellsThePoliciesAndTheStateOfAKeyWithoutSpending() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.start()) {
        app.get("/api/hello");

        assertThat(app.get("/actuator/sash").body())
            .isEqualTo(
                "{\"policies\":{\"api\":{\"limits\":[\"5/1m sliding-log\",\"100/1h"
                    + " sliding-counter\"],\"tiered\":false,\"failureRule\":\"LOCAL\","
                    + "\"deadline\":\"PT0.05S\",\"paths\":[\"/api/**\"],\"methods\":[\"GET\"],"
                    + "\"key\":\"ip\"}}}");
        assertThat(app.get("/actuator/sash/api").body()).startsWith("{\"limits\":");
        for (int i = 0; i < 2; i++) {
          assertThat(app.get("/actuator/sash/api?key=ip:127.0.0.1").body())
              .contains("\"limit\":5,\"used\":1,\"remaining\":4,", "\"source\":\"STORE\"");
        }
        assertThat(app.get("/actuator/sash/none").statusCode()).isEqualTo(404);
        assertThat(app.get("/actuator/sash/none?key=k").statusCode()).isEqualTo(404);
        assertThat(app.get("/actuator/sash/api?key=").statusCode()).isEqualTo(400);
      }
    }
  }

  @Test
  void forgetsAKeyOnlyWhereThatIsAllowed() throws Exception {
    String path = "/actuator/sash/api?key=ip:127.0.0.1";
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.start()) {
        app.get("/api/hello");
        assertThat(app.send("DELETE", path).statusCode()).isEqualTo(405);
        assertThat(app.get(path).body()).contains("\"used\":1");
      }
    }
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.with("management.endpoint.sash.access=unrestricted").start()) {
        app.get("/api/hello");
        assertThat(app.send("DELETE", path).statusCode()).isEqualTo(204);
        assertThat(app.get(path).body()).contains("\"used\":0");
        assertThat(app.send("DELETE", "/actuator/sash/none?key=k").statusCode()).isEqualTo(404);
        assertThat(app.send("DELETE", "/actuator/sash/api").statusCode()).isEqualTo(400);
      }
    }
  }

  @Test
  void theBoundOfTheMemoryIsConfiguredAndMetered() throws Exception {
    // The store of Shop has a clock of its own and is not configured by properties.
    for (TestApp.Builder builder :
        List.of(
            TestApp.servlet(RedisDownIT.Application.class),
            TestApp.reactive(RedisDownIT.Application.class))) {
      try (TestApp app =
          builder
              .withActuator()
              .with(
                  "sash.memory.max-bytes=64MB",
                  "sash.policies.api.limits=5/1m",
                  "management.endpoints.web.exposure.include=metrics")
              .start()) {
        assertThat(app.get("/actuator/metrics/sash.memory.max.bytes").body())
            .contains("\"baseUnit\":\"bytes\"", "\"value\":" + (double) (64 << 20));
      }
    }
  }

  @Test
  void isNotThereUnlessItIsExposed() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.with("management.endpoints.web.exposure.include=health").start()) {
        assertThat(app.get("/actuator/sash").statusCode()).isEqualTo(404);
      }
    }
  }

  @Test
  void healthAndMetersTellOfLimitsInMemory() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.with("management.endpoint.health.show-details=always").start()) {
        for (int i = 0; i < 6; i++) {
          app.get("/api/hello");
        }
        HttpResponse<String> health = app.get("/actuator/health");
        assertThat(health.body())
            .contains("\"sash\":{\"details\":{\"store\":\"memory\"},\"status\":\"UP\"}");
        assertThat(app.get("/actuator/metrics/sash.decisions?tag=outcome:denied").body())
            .contains("\"value\":1.0");
        assertThat(app.get("/actuator/metrics/sash.memory.keys").body()).contains("\"value\":1.0");
        assertThat(app.get("/actuator/metrics/sash.memory.bytes").body())
            .containsPattern("\"value\":[1-9]");
      }
    }
  }
}
