package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.MapPropertySource;

/** The endpoint and the meters, under MVC and WebFlux. */
@Timeout(120)
class ActuatorIT {
  private static final String JSON = "application/json";

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
                    + " sliding-counter\"],\"tiers\":{},\"tiered\":false,\"mode\":\"ENFORCE\","
                    + "\"failureRule\":\"LOCAL\",\"deadline\":\"PT0.05S\","
                    + "\"paths\":[\"/api/**\"],\"methods\":[\"GET\"],\"grpcMethods\":[],"
                    + "\"key\":\"ip\",\"cost\":1,\"order\":0}}}");
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

  @Test
  void aKeyThatNobodyHasIsAnErrorAndAnApiKeyIsHashed() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app =
          builder
              .with("sash.policies.keyed.limits=5/1m", "sash.policies.keyed.paths=/api/items/*")
              .with("sash.policies.keyed.key=apikey:X-Api-Key | user + ip")
              .with("sash.policies.keyed.tiers.gold=7/1m", "sash.tiers.gold.api-keys=s3cret")
              .with("management.endpoint.sash.access=unrestricted")
              .start()) {
        app.get("/api/items/1", "X-Api-Key", "s3cret");

        assertThat(app.get("/actuator/sash/keyed?apiKey=s3cret").body())
            .contains("\"limits\":[\"7/1m sliding-log\"]", "\"used\":1,");
        HttpResponse<String> raw = app.get("/actuator/sash/keyed?key=s3cret");
        assertThat(raw.statusCode()).isEqualTo(400);
        assertThat(raw.body())
            .contains("key must begin with one of [apikey:, (, ip:]")
            .doesNotContain("s3cret");
        assertThat(app.get("/actuator/sash/keyed").body())
            .contains("\"tiers\":{\"gold\":[\"7/1m\"]}");
        assertThat(app.send("DELETE", "/actuator/sash/keyed?apiKey=s3cret").statusCode())
            .isEqualTo(204);
        assertThat(app.send("DELETE", "/actuator/sash/keyed").statusCode()).isEqualTo(400);
        assertThat(app.get("/actuator/sash/keyed?apiKey=s3cret").body()).contains("\"used\":0,");
      }
    }
  }

  @Test
  void limitsAndModeChangeWhileTheApplicationRuns() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.with("management.endpoint.sash.access=unrestricted").start()) {
        for (int i = 0; i < 5; i++) {
          assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
        }
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);

        assertThat(change(app, "{\"limits\": \"6/1m, 100/1h sliding-counter\"}"))
            .contains("\"limits\":[\"6/1m sliding-log\",");
        assertThat(app.get("/api/hello").statusCode()).as("one more").isEqualTo(200);
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);

        assertThat(change(app, "{\"mode\": \"shadow\"}")).contains("\"mode\":\"SHADOW\"");
        HttpResponse<String> counted = app.get("/api/hello");
        assertThat(counted.statusCode()).isEqualTo(200);
        assertThat(counted.headers().firstValue("RateLimit")).isEmpty();
        assertThat(change(app, "{\"mode\": \"enforce\"}")).contains("\"mode\":\"ENFORCE\"");
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);

        assertThat(change(app, "{\"mode\": \"off\"}"))
            .contains("mode must be enforce or shadow, was 'off'");
        assertThat(change(app, "{\"limits\": \"6\"}")).contains("error");
        assertThat(app.post("/actuator/sash/none", JSON, "{}").statusCode()).isEqualTo(404);
      }
    }
  }

  private static String change(TestApp app, String body) {
    return app.post("/actuator/sash/api", JSON, body).body();
  }

  @Test
  void aChangedEnvironmentIsAppliedWithoutLosingCounts() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app =
          builder
              .with("management.endpoint.sash.access=unrestricted")
              .with("sash.policies.api.tiers.home=3/1m", "sash.tiers.home.keys=ip:192.0.2.1")
              .start()) {
        for (int i = 0; i < 4; i++) {
          assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
        }
        Map<String, Object> changed = new HashMap<>();
        app.context()
            .getEnvironment()
            .getPropertySources()
            .addFirst(new MapPropertySource("changed", changed));
        assertThat(refresh(app)).isEqualTo("{\"changed\":[]}");

        changed.put("sash.policies.api.limits", "4/1m");
        assertThat(refresh(app)).isEqualTo("{\"changed\":[\"api\"]}");
        assertThat(app.get("/api/hello").statusCode()).as("4 are charged").isEqualTo(429);

        changed.put("sash.policies.api.limits", "4/1x");
        assertThat(refresh(app)).as("wrong").isEqualTo("{\"changed\":[]}");
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);

        changed.put("sash.policies.api.limits", "4/1m");
        changed.put("sash.policies.api.mode", "shadow");
        changed.put("sash.policies.api.paths", "/elsewhere");
        app.context().publishEvent(new EnvironmentChangeEvent(app.context(), changed.keySet()));
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(200);
        assertThat(app.get("/actuator/sash/api").body())
            .contains("\"mode\":\"SHADOW\"", "\"paths\":[\"/api/**\"]");

        changed.put("sash.policies.api.mode", "enforce");
        changed.put("sash.tiers.home.keys", "ip:127.0.0.1");
        assertThat(refresh(app)).isEqualTo("{\"changed\":[\"api\"]}");
        assertThat(app.get("/actuator/sash/api?key=ip:127.0.0.1").body())
            .contains("\"limits\":[\"3/1m sliding-log\"]", "\"used\":4,");
      }
    }
  }

  private static String refresh(TestApp app) {
    return app.post("/actuator/sash", JSON, "{}").body();
  }

  @Test
  void observationsMakeNoMetersBesideOurs() throws Exception {
    for (TestApp.Builder builder : frameworks()) {
      try (TestApp app = builder.start()) {
        app.get("/api/hello");
        assertThat(app.bean(ObservationRegistry.class).isNoop()).isFalse();
        assertThat(app.bean(MeterRegistry.class).getMeters())
            .filteredOn(meter -> meter.getId().getName().startsWith("sash."))
            .isNotEmpty()
            .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank())
            .extracting(meter -> meter.getId().getName())
            .doesNotContain("sash.acquire", "sash.acquire.active");
      }
    }
  }
}
