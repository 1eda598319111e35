package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications that exclude sash-redis and Lettuce, whose jars are really not there. */
@Timeout(120)
class WithoutRedisIT {
  /** Jars, and the folders that stand for them where modules are built together. */
  private static final Predicate<String> SASH_REDIS =
      Pattern.compile("/(sash-redis|sash-testkit-redis)-[^/]*$|/(testkit-)?redis/target/")
          .asPredicate();

  private static final Predicate<String> LETTUCE =
      Pattern.compile("/(lettuce|netty|reactor-netty)-[^/]*$").asPredicate();

  /** Without these, requests need no login and the application is no gateway. */
  private static final Predicate<String> SECURITY_AND_CLOUD =
      Pattern.compile("/spring-((boot-)?security|cloud)-[^/]*$").asPredicate();

  @TempDir Path folder;

  private OtherJvm.Result run(Predicate<String> absent, String... properties) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "spring.main.banner-mode=off",
                "sash.policies.api.limits=2/1h",
                "sash.policies.api.paths=/api/**",
                "sash.policies.reports.limits=1/1h",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always"));
    arguments.addAll(Arrays.asList(properties));
    return OtherJvm.run(
        folder,
        OtherJvm.classPathWithout(absent.or(SECURITY_AND_CLOUD)),
        WithoutRedisApp.class,
        arguments.stream().map(argument -> "--" + argument).toArray(String[]::new));
  }

  @Test
  void limitsAreKeptInMemoryWithEndpointHealthAndMeters() throws Exception {
    OtherJvm.Result result = run(SASH_REDIS.or(LETTUCE));

    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output())
        .contains(
            "dev.sash.redis.RedisStore absent",
            "io.lettuce.core.RedisClient absent",
            "io.netty.channel.EventLoop absent",
            "Limits of [api, reports] are kept in memory",
            "/api/hello 200 hello",
            "/api/hello 429 {",
            "/reports 200 report",
            "/reports 429 {",
            "/actuator/sash/api?key=ip:127.0.0.1 200 {\"limits\":[\"2/1h sliding-log\"]",
            "\"used\":2,\"remaining\":0,",
            "\"sash\":{\"details\":{\"store\":\"memory\"},\"status\":\"UP\"}",
            "/actuator/metrics/sash.store.up 404")
        .containsPattern("/sash\\.decisions\\?tag=outcome:denied 200 .*\"value\":2\\.0")
        .containsPattern("/sash\\.memory\\.keys 200 .*\"value\":2\\.0");
    assertThat(result.output().split("/api/hello 200", -1)).hasSize(3);
  }

  @Test
  void aPropertyThatDemandsRedisEndsTheStartAndNamesTheMissingDependency() throws Exception {
    assertFails(
        run(SASH_REDIS.or(LETTUCE), "sash.redis.uri=redis://:s3cret@localhost"),
        "Property: sash.redis.uri",
        "needs dev.sash:sash-redis on the class path",
        "remove this property");
    assertFails(
        run(SASH_REDIS.or(LETTUCE), "sash.store=redis"),
        "Property: sash.store",
        "needs dev.sash:sash-redis on the class path",
        "set sash.store=memory");
    assertFails(
        run(LETTUCE, "sash.redis.uri=redis://:s3cret@localhost"),
        "Property: sash.redis.uri",
        "needs io.lettuce:lettuce-core on the class path");
  }

  private static void assertFails(OtherJvm.Result result, String... message) {
    assertThat(result.exitCode()).as(result.output()).isEqualTo(1);
    assertThat(result.output())
        .contains("APPLICATION FAILED TO START")
        .contains(message)
        .doesNotContain("s3cret", "/api/hello");
  }

  @Test
  void memoryCanBeChosenAlthoughAUriIsSet() throws Exception {
    OtherJvm.Result result = run(LETTUCE, "sash.redis.uri=redis://localhost", "sash.store=memory");

    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output())
        .contains("dev.sash.redis.RedisStore present", "/api/hello 429 {")
        .contains("\"sash\":{\"details\":{\"store\":\"memory\"},\"status\":\"UP\"}");
  }
}
