package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.LimiterRegistry;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.redis.RedisStore;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** With a real Spring Security, which asks for a password, on both kinds of servers. */
@Timeout(120)
class SecurityIT {
  private static final String ANN = basic("ann:s3cret");
  private static final String GUESS = basic("ann:guess");

  private static String basic(String credentials) {
    return "Basic "
        + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
  }

  private static TestApp.Builder app(WebApplicationType type, Class<?>... sources) {
    return (type == WebApplicationType.SERVLET
            ? TestApp.servlet(sources)
            : TestApp.reactive(sources))
        .withSecurity()
        .with("spring.security.user.name=ann", "spring.security.user.password=s3cret");
  }

  private static TestApp.Builder app(WebApplicationType type) {
    return app(type, Shop.class);
  }

  private static List<Integer> statuses(TestApp app, int count, String... headers)
      throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      statuses.add(app.get("/api/hello", headers).statusCode());
    }
    return statuses;
  }

  private static long used(TestApp app, String policy, String key) {
    return app.bean(LimiterRegistry.class).get(policy).peek(key).used();
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aUserIsKnownAfterSecurity(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type)
            .with("sash.policies.api.limits=2/1m", "sash.policies.api.paths=/api/**")
            .with("sash.policies.api.key=user")
            .start()) {
      assertThat(app.get("/api/hello").statusCode()).isEqualTo(401);
      assertThat(statuses(app, 3, "Authorization", ANN)).containsExactly(200, 200, 429);
      assertThat(used(app, "api", "user:ann")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void wrongPasswordsAreLimitedBesideAPolicyByUser(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type)
            .with("sash.policies.api.limits=1000/1h", "sash.policies.api.paths=/**")
            .with("sash.policies.api.key=user | ip")
            .with("sash.policies.guesses.limits=5/15m", "sash.policies.guesses.paths=/**")
            .with("sash.policies.guesses.charge-only-status=401")
            .start()) {
      assertThat(statuses(app, 3, "Authorization", ANN)).containsOnly(200);

      List<Integer> guesses = statuses(app, 30, "Authorization", GUESS);
      assertThat(Collections.frequency(guesses, 401)).isEqualTo(5);
      assertThat(Collections.frequency(guesses, 429)).isEqualTo(25);
      assertThat(statuses(app, 1, "Authorization", ANN)).containsExactly(429);
      assertThat(used(app, "api", "user:ann")).isEqualTo(3);
      assertThat(used(app, "guesses", "ip:127.0.0.1")).isEqualTo(5);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aRequestIsChargedToBothPlacesOrToNone(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type)
            .with("sash.policies.address.limits=10/1m", "sash.policies.address.paths=/api/**")
            .with("sash.policies.person.limits=2/1m", "sash.policies.person.paths=/api/**")
            .with("sash.policies.person.key=user")
            .start()) {
      HttpResponse<String> admitted = app.get("/api/hello", "Authorization", ANN);
      assertThat(field(admitted, "RateLimit"))
          .isEqualTo("\"address\";r=9;t=60, \"person\";r=1;t=60");
      assertThat(statuses(app, 1, "Authorization", ANN)).containsExactly(200);

      HttpResponse<String> denied = app.get("/api/hello", "Authorization", ANN);
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.body()).contains("\"violated-policies\":[\"person\"]");
      assertThat(field(denied, "RateLimit")).isEqualTo("\"address\";r=8;t=60, \"person\";r=0;t=60");
      assertThat(used(app, "address", "ip:127.0.0.1")).as("refunded").isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void theSearchForPoliciesEndsInBothPlaces(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type)
            .with("sash.policies.address.limits=10/1m", "sash.policies.address.paths=/api/**")
            .with("sash.policies.person.limits=2/1m", "sash.policies.person.paths=/api/hello")
            .with("sash.policies.person.key=user", "sash.policies.person.order=-1")
            .with("sash.policies.person.continue=false")
            .start()) {
      assertThat(field(app.get("/api/hello", "Authorization", ANN), "RateLimit"))
          .isEqualTo("\"person\";r=1;t=60");
      assertThat(field(app.get("/api/items/7", "Authorization", ANN), "RateLimit"))
          .isEqualTo("\"address\";r=9;t=60");
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void rulesOfCustomizersArePlacedByTheirKeysToo(WebApplicationType type) throws Exception {
    try (TestApp app =
        app(type, Shop.class, OwnRules.class)
            .with("sash.policies.address.limits=1/1m", "sash.policies.person.limits=9/1m")
            .start()) {
      assertThat(app.get("/api/hello", "Authorization", ANN).statusCode()).isEqualTo(200);
      assertThat(used(app, "person", "user:ann")).isEqualTo(1);
      assertThat(app.get("/api/hello", "Authorization", GUESS).statusCode()).isEqualTo(429);
      assertThat(used(app, "person", "user:ann")).isEqualTo(1);
    }
  }

  static class OwnRules {
    @Bean
    HttpLimiterCustomizer rules(LimiterRegistry limiters) {
      return builder ->
          builder.rule(
              HttpRule.forEverything()
                  .charge(limiters.get("person"), KeyExtractor.principal())
                  .charge(limiters.get("address"), KeyExtractor.clientAddress())
                  .thenContinue());
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void bothPlacesDecideOnRedis(WebApplicationType type) throws Exception {
    try (RedisServer redis = RedisServer.start();
        TestApp app =
            app(type, Shop.Plain.class, AutoConfigured.class)
                .with("sash.redis.uri=" + redis.uri())
                .with("sash.policies.address.limits=40/1h", "sash.policies.address.paths=/api/**")
                .with("sash.policies.person.limits=3/1h", "sash.policies.person.paths=/api/**")
                .with("sash.policies.person.key=user")
                .start()) {
      assertThat(statuses(app, 5, "Authorization", ANN)).containsExactly(200, 200, 200, 429, 429);
      assertThat(used(app, "address", "ip:127.0.0.1")).isEqualTo(3);
      assertThat(used(app, "person", "user:ann")).isEqualTo(3);
      RedisStore store = app.bean(RedisStore.class);
      assertThat(store.keys("address", 9)).containsExactly("ip:127.0.0.1");
      assertThat(store.keys("person", 9)).containsExactly("user:ann");
    }
  }

  /** With the store that the starter makes. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class AutoConfigured {}

  @RestController
  static class Report {
    @RateLimit(limits = "1/1m", when = "!hasRole('ADMIN')")
    @GetMapping("/api/report")
    String report() {
      return "report";
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aHandlerIsNotLimitedForARole(WebApplicationType type) throws Exception {
    for (String role : List.of("USER", "ADMIN")) {
      try (TestApp app =
          app(type, Shop.class, Report.class).with("spring.security.user.roles=" + role).start()) {
        assertThat(app.get("/api/report", "Authorization", ANN).statusCode()).isEqualTo(200);
        HttpResponse<String> second = app.get("/api/report", "Authorization", ANN);
        assertThat(second.statusCode()).as(role).isEqualTo(role.equals("ADMIN") ? 200 : 429);
        assertThat(field(second, "RateLimit"))
            .isEqualTo(role.equals("ADMIN") ? "" : "\"Report.report\";r=0;t=60");
      }
    }
  }

  @Test
  void theOrderOfSecurityIsRespected() throws Exception {
    try (TestApp app =
        app(WebApplicationType.SERVLET)
            .with("spring.security.filter.order=50")
            .with("sash.policies.guesses.limits=2/1m", "sash.policies.guesses.paths=/**")
            .with("sash.policies.person.limits=2/1m", "sash.policies.person.paths=/**")
            .with("sash.policies.person.key=user")
            .start()) {
      assertThat(statuses(app, 3, "Authorization", GUESS)).containsExactly(401, 401, 429);
    }
    try (TestApp app =
        app(WebApplicationType.SERVLET)
            .with("spring.security.filter.order=-500")
            .with("sash.policies.person.limits=2/1m", "sash.policies.person.paths=/**")
            .with("sash.policies.person.key=user")
            .start()) {
      assertThat(statuses(app, 3, "Authorization", ANN)).containsExactly(200, 200, 429);
      assertThat(used(app, "person", "user:ann")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = WebApplicationType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void whatCannotWorkWhereItStandsEndsTheStart(WebApplicationType type) {
    assertStartFails(
        type,
        "sash.policies.x.key: cannot contain 'user' before Spring Security",
        "sash.policies.x.key=user",
        "sash.policies.x.place=before-security");
    assertStartFails(
        type,
        "sash.policies.x.key: cannot contain 'user' before Spring Security",
        "sash.policies.x.key=ip + user",
        "sash.web.filter-order=-200");
    assertStartFails(
        type,
        "sash.policies.x.charge-only-status: cannot work after Spring Security",
        "sash.policies.x.key=user | ip",
        "sash.policies.x.charge-only-status=401");
    assertStartFails(
        type,
        "sash.policies.x.charge-only-status: cannot work after Spring Security",
        "sash.policies.x.place=after-security",
        "sash.policies.x.charge-only-status=4xx");
    assertStartFails(
        type,
        "sash.policies.x.key: must not contain 'user' with charge-only-failed-logins",
        "sash.policies.x.key=user",
        "sash.policies.x.charge-only-failed-logins=true");
    assertStartFails(
        type,
        "sash.policies.x.place: cannot be combined with sash.web.filter-order",
        "sash.policies.x.place=after-security",
        "sash.web.filter-order=7");
  }

  private static void assertStartFails(
      WebApplicationType type, String message, String... properties) {
    TestApp.Builder builder =
        app(type).with("sash.policies.x.limits=5/1m", "sash.policies.x.paths=/**").with(properties);
    assertThatThrownBy(() -> builder.start().close())
        .rootCause()
        .isInstanceOf(BadConfigurationException.class)
        .hasMessageContaining(message);
  }
}
