package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** Limits hold in a slice of MVC, as docs/spring.md says. */
@WebMvcTest(
    properties = {
      "sash.policies.api.limits=2/1m",
      "sash.policies.api.paths=/api/**",
      "sash.policies.reports.limits=1/1m"
    })
@ContextConfiguration(classes = {SlicedApp.class, TimedStore.class})
class WebMvcSliceTest {
  @Autowired private MockMvcTester mvc;
  @Autowired private LimiterRegistry limiters;
  @Autowired private ManualClock clock;

  @BeforeEach
  void forgetWhatOtherTestsSpent() {
    limiters.get("api").reset("ip:127.0.0.1");
    limiters.get("reports").reset("ip:127.0.0.1");
  }

  @Test
  void deniesTheRequestThatExceedsThePolicyOfItsPath() {
    for (int i = 0; i < 2; i++) {
      assertThat(mvc.get().uri("/api/hello")).hasStatus(200);
    }
    assertThat(mvc.get().uri("/api/hello"))
        .hasStatus(429)
        .hasHeader("RateLimit", "\"api\";r=0;t=60")
        .hasHeader("Retry-After", "60");
  }

  @Test
  void resettingAKeyAndMovingTheClockGiveRoomAgain() {
    assertThat(mvc.get().uri("/reports")).hasStatus(200);
    assertThat(mvc.get().uri("/reports")).hasStatus(429);
    limiters.get("reports").reset("ip:127.0.0.1");
    assertThat(mvc.get().uri("/reports")).hasStatus(200);
    assertThat(mvc.get().uri("/reports")).hasStatus(429);
    clock.advance(Duration.ofMinutes(1));
    assertThat(mvc.get().uri("/reports")).hasStatus(200);
  }
}
