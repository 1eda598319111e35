package dev.sash.spring;

import dev.sash.LimiterRegistry;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.reactive.server.WebTestClient;

/** Limits hold in a slice of WebFlux, as docs/spring.md says. */
@WebFluxTest(
    properties = {
      "sash.policies.api.limits=2/1m",
      "sash.policies.api.paths=/api/**",
      "sash.policies.api.key=header:X-Tenant",
      "sash.policies.reports.limits=1/1m",
      "sash.policies.reports.key=header:X-Tenant"
    })
@ContextConfiguration(classes = {SlicedApp.class, TimedStore.class})
class WebFluxSliceTest {
  @Autowired private WebTestClient client;
  @Autowired private LimiterRegistry limiters;
  @Autowired private ManualClock clock;

  @BeforeEach
  void forgetWhatOtherTestsSpent() {
    limiters.get("api").reset("header:x-tenant:acme");
    limiters.get("reports").reset("header:x-tenant:acme");
  }

  private WebTestClient.ResponseSpec get(String path) {
    return client.get().uri(path).header("X-Tenant", "acme").exchange();
  }

  @Test
  void deniesTheRequestThatExceedsThePolicyOfItsPath() {
    for (int i = 0; i < 2; i++) {
      get("/api/hello").expectStatus().isOk();
    }
    get("/api/hello")
        .expectStatus()
        .isEqualTo(429)
        .expectHeader()
        .valueEquals("RateLimit", "\"api\";r=0;t=60")
        .expectHeader()
        .valueEquals("Retry-After", "60");
  }

  @Test
  void movingTheClockGivesRoomAgain() {
    get("/reports").expectStatus().isOk();
    get("/reports").expectStatus().isEqualTo(429);
    clock.advance(Duration.ofMinutes(1));
    get("/reports").expectStatus().isOk();
  }
}
