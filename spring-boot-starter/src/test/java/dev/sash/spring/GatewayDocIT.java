package dev.sash.spring;

import static dev.sash.spring.TestApp.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.testkit.ManualClock;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/gateway.md: its configurations start and limit. */
@Timeout(120)
class GatewayDocIT {
  private static final Pattern YAML =
      Pattern.compile("^```yaml\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

  @TempDir Path folder;

  static List<String> configurations() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "gateway.md"));
    return YAML.matcher(page).results().map((MatchResult block) -> block.group(1)).toList();
  }

  @Test
  void thePageHasAConfigurationOfEachKind() throws Exception {
    assertThat(configurations()).hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void everyConfigurationOnThePageLimits(String yaml) throws Exception {
    try (Backend backend = Backend.start()) {
      Path file =
          Files.writeString(
              folder.resolve("application.yaml"),
              yaml.replace("http://search.internal:8080", backend.uri())
                  .replaceAll("  redis.uri:.*\n", ""));
      TestApp.Builder builder =
          yaml.contains("server.webmvc.")
              ? TestApp.servlet(GatewayMvcIT.Application.class, TimedStore.class)
              : TestApp.reactive(GatewayApplication.class, TimedStore.class);
      try (TestApp app =
          builder.withGateway().with("spring.config.location=" + file.toUri()).start()) {
        for (int i = 0; i < 100; i++) {
          assertThat(app.get("/search", "X-User", "ann").statusCode()).isEqualTo(200);
        }
        HttpResponse<String> denied = app.get("/search", "X-User", "ann");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(field(denied, "Retry-After")).isEqualTo("60");
        assertThat(field(denied, "RateLimit-Policy")).startsWith("\"search");
        assertThat(app.get("/search", "X-User", "bob").statusCode()).isEqualTo(200);
      }
    }
  }

  /**
   * The rows of the table that compare with Gateway's own: what passes at once, and a second later.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "10/1s token-bucket capacity=20; 20; 10",
        "10/1s; 10; 10",
        "10/1s token-bucket; 10; 10",
        "1/1m token-bucket; 1; 0"
      })
  void theLimitsForMigrationAdmitWhatThePageSays(String limits, int first, int later)
      throws Exception {
    try (Backend backend = Backend.start();
        TestApp app =
            TestApp.reactive(GatewayApplication.class, TimedStore.class)
                .withGateway()
                .with(
                    Routes.webFlux(backend)
                        .limited("search", "sash-rate-limiter.limits=" + limits)
                        .properties())
                .start()) {
      assertThat(admitted(app)).isEqualTo(first);
      app.bean(ManualClock.class).advance(Duration.ofSeconds(1));
      assertThat(admitted(app)).isEqualTo(later);
    }
  }

  private static long admitted(TestApp app) {
    return app.statusesOf(40, "/search").stream().filter(status -> status == 200).count();
  }
}
