package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.RateLimiter;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What requests get from annotated handlers, the same under MVC and WebFlux. */
@Timeout(120)
abstract class AnnotatedHandlersContract {
  private static final String[] POLICIES = {
    "sash.policies.handler.limits=3/1m",
    "sash.policies.keyed.limits=1/1m",
    "sash.policies.service.limits=1/1m",
    "sash.policies.failures.limits=1/1m",
    "sash.policies.failures.charge-only-status=4xx"
  };

  abstract TestApp.Builder app(Class<?>... sources);

  private TestApp start(String... properties) {
    return app(Shop.class, Annotated.class).with(POLICIES).with(properties).start();
  }

  @Test
  void withoutAKeyWhoSendsTheRequestIsLimitedWhateverIsReturned() throws Exception {
    for (String path : List.of("/annotated/text", "/annotated/later", "/annotated/mono")) {
      try (TestApp app = start()) {
        HttpResponse<String> admitted = app.get(path);
        assertThat(admitted.statusCode()).as(path).isEqualTo(200);
        assertThat(path).endsWith(admitted.body());
        assertThat(field(admitted, "RateLimit")).isEqualTo("\"handler\";r=2;t=60");

        List<Integer> statuses = app.statusesOf(20, path);
        assertThat(Collections.frequency(statuses, 200)).as(path).isEqualTo(2);
        assertThat(Collections.frequency(statuses, 429)).as(path).isEqualTo(18);
        HttpResponse<String> denied = app.get(path);
        assertThat(field(denied, "RateLimit-Policy")).isEqualTo("\"handler\";q=3;w=60");
        assertThat(field(denied, "RateLimit")).isEqualTo("\"handler\";r=0;t=60");
        assertThat(field(denied, "Retry-After")).isEqualTo("60");
        assertThat(field(denied, "Cache-Control")).isEqualTo("no-store");
        assertThat(field(denied, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(denied.body())
            .contains("#quota-exceeded", "\"violated-policies\":[\"handler\"]");
        assertThat(limiter(app, "handler").peek("ip:127.0.0.1").used()).isEqualTo(3);
      }
    }
  }

  private static RateLimiter limiter(TestApp app, String policy) {
    return app.bean(LimiterRegistry.class).get(policy);
  }

  @Test
  void theTierIsResolvedOncePerRequest() throws Exception {
    try (TestApp app =
        app(Shop.class, Annotated.class, CountedTiers.class)
            .with(POLICIES)
            .with("sash.policies.handler.tiers.pro=1/1m", "sash.policies.keyed.tiers.pro=1/1m")
            .start()) {
      CountedTiers tiers = app.bean(CountedTiers.class);
      for (String path : List.of("/annotated/text", "/keyed/text?user=a", "/keyed/mono?user=b")) {
        assertThat(app.get(path).statusCode()).as(path).isEqualTo(200);
        assertThat(tiers.calls()).as(path).isEqualTo(1);
        assertThat(app.get(path).statusCode()).as(path).isEqualTo(429);
        assertThat(tiers.calls()).as(path).isEqualTo(1);
      }
    }
  }

  @Test
  void aHandlerMayCostMoreThanOnePermit() throws Exception {
    try (TestApp app = start()) {
      assertThat(field(app.get("/annotated/dear"), "RateLimit")).isEqualTo("\"handler\";r=0;t=60");
    }
  }

  @Test
  void withAKeyItIsWhatTheExpressionSays() throws Exception {
    for (String path : List.of("/keyed/text", "/keyed/later", "/keyed/mono", "/keyed/flux")) {
      try (TestApp app = start()) {
        assertThat(app.get(path + "?user=ann").statusCode()).as(path).isEqualTo(200);
        assertThat(app.get(path + "?user=bob").statusCode()).as(path).isEqualTo(200);

        HttpResponse<String> denied = app.get(path + "?user=ann");
        assertThat(denied.statusCode()).as(path).isEqualTo(429);
        assertThat(field(denied, "RateLimit")).isEqualTo("\"keyed\";r=0;t=60");
        assertThat(field(denied, "Retry-After")).isEqualTo("60");
        assertThat(denied.body()).contains("\"violated-policies\":[\"keyed\"]");
        assertThat(denied.body() + denied.headers()).doesNotContain("ann");
        assertThat(limiter(app, "keyed").peek("ann").used()).isEqualTo(1);
      }
    }
  }

  @Test
  void aMethodBehindTheControllerIsLimitedForAllCallers() throws Exception {
    try (TestApp app = start()) {
      HttpResponse<String> admitted = app.get("/service");
      assertThat(admitted.body()).isEqualTo("sent");
      assertThat(admitted.headers().firstValue("RateLimit")).as("not the client's").isEmpty();

      HttpResponse<String> denied = app.get("/service");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(field(denied, "RateLimit")).isEqualTo("\"service\";r=0;t=60");
      assertThat(limiter(app, "service").peek("all:").used()).isEqualTo(1);
    }
  }

  @Test
  void pathsAndAnnotationsHoldTogetherAndAreToldTogether() throws Exception {
    try (TestApp app = start("sash.policies.all.limits=100/1m", "sash.policies.all.paths=/**")) {
      for (String path : List.of("/keyed/text?user=ann", "/keyed/mono?user=bob")) {
        HttpResponse<String> admitted = app.get(path);
        assertThat(field(admitted, "RateLimit-Policy")).as(path).startsWith("\"all\";q=100;w=60");
        HttpResponse<String> denied = app.get(path);
        assertThat(field(denied, "RateLimit")).contains("\"all\";r=", "\"keyed\";r=0;t=60");
      }
      assertThat(field(app.get("/annotated/text"), "RateLimit"))
          .isEqualTo("\"all\";r=97;t=60, \"handler\";r=2;t=60");
      assertThat(limiter(app, "all").peek("ip:127.0.0.1").used())
          .as("what is denied is given back")
          .isEqualTo(3);
    }
  }

  @Test
  void onlySomeStatusesAreCharged() throws Exception {
    try (TestApp app = start()) {
      assertThat(app.get("/annotated/status/200").statusCode()).isEqualTo(200);
      assertThat(app.get("/annotated/status/204").statusCode()).isEqualTo(204);
      assertThat(app.get("/annotated/status/404").statusCode()).isEqualTo(404);
      assertThat(app.get("/annotated/status/200").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void anExceptionHandlerOfTheApplicationAnswersInstead() throws Exception {
    try (TestApp app = app(Shop.class, Annotated.class, Advice.class).with(POLICIES).start()) {
      for (String path : List.of("/annotated/dear", "/keyed/text?user=a", "/keyed/mono?user=b")) {
        assertThat(app.get(path).statusCode()).isEqualTo(200);
        HttpResponse<String> denied = app.get(path);
        assertThat(denied.statusCode()).as(path).isEqualTo(420);
        assertThat(denied.body()).as(path).startsWith("enhance your calm: ");
      }
    }
  }

  @RestControllerAdvice
  static class Advice {
    @ExceptionHandler
    ResponseEntity<String> calm(RateLimitExceededException exception) {
      return ResponseEntity.status(420).body("enhance your calm: " + exception.policy());
    }
  }
}
