package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.LimiterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a real Spring Security, which asks for a password. */
@Timeout(120)
class SecurityIT {
  private static final String ANN =
      "Basic " + Base64.getEncoder().encodeToString("ann:s3cret".getBytes(StandardCharsets.UTF_8));

  private static TestApp.Builder secured(TestApp.Builder builder) {
    return builder
        .withSecurity()
        .with(
            "spring.security.user.name=ann",
            "spring.security.user.password=s3cret",
            "sash.policies.api.limits=2/1m",
            "sash.policies.api.paths=/api/**");
  }

  @Test
  void aUserIsKnownToTheFilter() throws Exception {
    for (TestApp.Builder builder :
        new TestApp.Builder[] {TestApp.servlet(Shop.class), TestApp.reactive(Shop.class)}) {
      try (TestApp app = secured(builder).with("sash.policies.api.key=user").start()) {
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(401);
        assertThat(app.get("/api/hello", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(app.get("/api/hello", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(app.get("/api/hello", "Authorization", ANN).statusCode()).isEqualTo(429);
        assertThat(app.bean(LimiterRegistry.class).get("api").peek("user:ann").used()).isEqualTo(2);
      }
    }
  }

  @Test
  void anAddressIsLimitedBeforeItsPasswordIsChecked() throws Exception {
    for (TestApp.Builder builder :
        new TestApp.Builder[] {TestApp.servlet(Shop.class), TestApp.reactive(Shop.class)}) {
      try (TestApp app = secured(builder).start()) {
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(401);
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(401);
        assertThat(app.get("/api/hello").statusCode()).isEqualTo(429);
      }
    }
  }
}
