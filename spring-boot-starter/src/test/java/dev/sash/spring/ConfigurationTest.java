package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.http.HttpLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.autoconfigure.SashRedisAutoConfiguration;
import dev.sash.spring.autoconfigure.SashWebAutoConfiguration;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.store.ListeningStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** From properties to policies, without a server. */
class ConfigurationTest {
  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SashRedisAutoConfiguration.class,
                  SashAutoConfiguration.class,
                  SashMethodAutoConfiguration.class,
                  SashWebAutoConfiguration.class));

  private static Policy policy(org.springframework.beans.factory.BeanFactory context, String name) {
    return context.getBean(LimiterRegistry.class).get(name).policy();
  }

  @Test
  void aPolicyIsWhatItsPropertiesSay() {
    runner
        .withPropertyValues(
            "sash.policies.api.limits[0]=5/s",
            "sash.policies.api.limits[1]=1000 per 1h sliding-counter",
            "sash.policies.api.failure-rule=closed",
            "sash.policies.api.deadline=20ms",
            "sash.policies.list.limits=5/s, 100/1m")
        .run(
            context -> {
              Policy api = policy(context, "api");
              assertThat(api.limits())
                  .containsExactly(Limit.parse("5/s"), Limit.parse("1000/1h sliding-counter"));
              assertThat(api.failureRule()).isEqualTo(FailureRule.CLOSED);
              assertThat(api.deadline()).isEqualTo(Duration.ofMillis(20));
              Policy list = policy(context, "list");
              assertThat(list.limits()).containsExactly(Limit.parse("5/s"), Limit.parse("100/1m"));
              assertThat(list.failureRule()).isEqualTo(FailureRule.LOCAL);
              assertThat(list.deadline()).isEqualTo(Duration.ofMillis(50));
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          p.limits=100                                   | sash.policies.p.limits             | '100'
          p.limits=5/s, 9/s                              | sash.policies.p.limits             | must differ
          p.key=ip                                       | sash.policies.p.limits             | must have one limit or more
          p.limits=1/s;p.deadline=0s                     | sash.policies.p.deadline           | deadline
          p.limits=1/s;p.paths=api                       | sash.policies.p.paths              | it must begin with a slash
          p.limits=1/s;p.paths=/a;p.methods=GE T         | sash.policies.p.methods            | method must be
          p.limits=1/s;p.methods=GET                     | sash.policies.p.methods            | needs sash.policies.p.paths
          p.limits=1/s;p.cost=2                          | sash.policies.p.cost               | needs sash.policies.p.paths
          p.limits=1/s;p.max-wait=1s                     | sash.policies.p.max-wait           | needs sash.policies.p.paths
          p.limits=1/s;p.paths=/a;p.max-wait=0s          | sash.policies.p.max-wait           | must be more than PT0S and at most PT10S, was PT0S
          p.limits=1/s;p.paths=/a;p.max-wait=11s         | sash.policies.p.max-wait           | must be more than PT0S and at most PT10S, was PT11S
          p.limits=1/s;p.paths=/a;p.max-wait=1s;p.max-waiting=0 | sash.policies.p.max-waiting | must be between 1 and 1000000, was 0
          p.limits=1/s;p.paths=/a;p.cost=0               | sash.policies.p.cost               | 1 or more, was 0
          p.limits=9/m, 5/s;p.paths=/a;p.cost=6          | sash.policies.p.cost               | must be at most 5, which 5/1s sliding-log admits at once, was 6: no request would ever be admitted
          p.limits=1/s;p.paths=/a;p.cost-header=X-Cost   | sash.policies.p.cost-header        | needs sash.web.trusted-proxies
          p.limits=1/s;p.key=ipp                         | sash.policies.p.key                | cannot read 'ipp'
          p.limits=1/s;p.key=ip +                        | sash.policies.p.key                | cannot read ''
          p.limits=1/s;p.key=header                      | sash.policies.p.key                | cannot read 'header'
          p.limits=1/s;p.key=header:a b                  | sash.policies.p.key                | field must be
          p.limits=1/s;p.key=bean:none                   | sash.policies.p.key                | 'bean:none'
          p.limits=1/s;p.unit=Rows                       | sash.policies.p.unit               | 'Rows'
          p.limits=1/s;p.charge-only-status=4x           | sash.policies.p.charge-only-status | '4x'
          p.limits=1/s;p.charge-only-status=500-400      | sash.policies.p.charge-only-status | '500-400'
          p.limits=1/s;p.tiers.pro=9/s                   | sash.policies.p.tiers.pro          | nobody belongs to the tier
          p.limits=1/s;p.tiers.pro=nine                  | sash.policies.p.tiers.pro          | nobody belongs to the tier
          [under_score].limits=1                         | sash.policies[under_score].limits  | '1'
          """)
  void whatIsWrongIsSaidWithTheNameOfTheProperty(
      String properties, String property, String reason) {
    String[] values =
        List.of(properties.split(";")).stream()
            .map(p -> p.startsWith("[") ? "sash.policies" + p : "sash.policies." + p)
            .toArray(String[]::new);
    assertFails(property, reason, values);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sash.web.trusted-proxies=10.0.0.0/33          | sash.web.trusted-proxies      | 10.0.0.0/33
          sash.web.allow-addresses=here                 | sash.web.allow-addresses      | here
          sash.web.deny-addresses=1.2.3                 | sash.web.deny-addresses       | 1.2.3
          sash.web.exempt-paths=static                  | sash.web.exempt-paths         | slash
          sash.web.fields=x-ratelimit-delta,x-ratelimit-epoch | sash.web.fields         | both
          sash.memory.max-keys=0                        | sash.memory.max-keys          | maxKeys
          sash.store=redis                              | sash.redis.uri                | must be set with sash.store=redis
          sash.redis.uri=localhost:6379                 | sash.redis.uri                | without ://
          sash.redis.uri=redis://h;sash.redis.nodes=0   | sash.redis.nodes              | nodes
          sash.redis.uri=redis://h;sash.redis.connect-timeout=0s | sash.redis.connect-timeout | connect timeout
          sash.tiers.a.keys=k;sash.tiers.b.keys=k       | sash.tiers.b.keys             | the tier 'a' has too
          rate-limiter.max-requests=5                   | rate-limiter.window-size      | must be set too
          rate-limiter.window-size=5                    | rate-limiter.max-requests     | must be set too
          rate-limiter.max-requests=0;rate-limiter.window-size=5 | rate-limiter.max-requests | permits
          rate-limiter.max-requests=5;rate-limiter.window-size=0 | rate-limiter.window-size  | window
          rate-limiter.max-requests=5;rate-limiter.window-size=5;rate-limiter.use-algo=x | rate-limiter.use-algo | 'x'
          rate-limiter.max-requests=5;rate-limiter.window-size=5;sash.policies.default.limits=5/s | sash.policies.default.limits | keep one of them
          """)
  void soItIsOutsideOfPolicies(String properties, String property, String reason) {
    assertFails(property, reason, properties.split(";"));
  }

  private void assertFails(String property, String reason, String... values) {
    runner
        .withPropertyValues(values)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOfSatisfying(
                        BadConfigurationException.class,
                        e -> {
                          assertThat(e.property()).isEqualTo(property);
                          assertThat(e.reason()).contains(reason);
                        }));
  }

  @Test
  void aPasswordInAUriIsNotRepeated() {
    runner
        .withPropertyValues("sash.redis.uri=redis//:s3cret@host")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageStartingWith("sash.redis.uri: ")
                    .hasMessageNotContaining("s3cret"));
  }

  @Test
  void aPropertyThatIsMisspeltIsNotIgnored() {
    runner
        .withPropertyValues("sash.policies.api.limit=5/s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasRootCauseMessage(
                        "The elements [sash.policies.api.limit] were left unbound."));
    runner
        .withPropertyValues("sash.policies.api.cost=dear")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .cause()
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining("sash.policies.api.cost"));
  }

  @Test
  void theOlderNamesConfigureADefaultPolicyForEveryRequest() {
    runner
        .withPropertyValues(
            "rate-limiter.use-algo=fixed-window-algo",
            "rate-limiter.window-size=60",
            "rate-limiter.max-requests=100")
        .run(
            context -> {
              assertThat(policy(context, "default").limits())
                  .containsExactly(Limit.fixedWindow(100, Duration.ofSeconds(60)));
              var policies = context.getBean(dev.sash.spring.config.ConfiguredPolicies.class);
              assertThat(policies.find("default").paths()).containsExactly("/**");
            });
    runner
        .withPropertyValues(
            "rate-limiter.window-size=60s",
            "rate-limiter.max-requests=100",
            "sash.policies.default.paths=/api/**",
            "sash.policies.default.failure-rule=open")
        .run(
            context -> {
              assertThat(policy(context, "default").limits())
                  .containsExactly(Limit.slidingLog(100, Duration.ofSeconds(60)));
              assertThat(policy(context, "default").failureRule()).isEqualTo(FailureRule.OPEN);
              var policies = context.getBean(dev.sash.spring.config.ConfiguredPolicies.class);
              assertThat(policies.find("default").paths()).containsExactly("/api/**");
            });
  }

  @Test
  void policiesMayBeBeans() {
    Policy bean = Policy.of("bean", Limit.parse("7/s"));
    runner
        .withBean(Policy.class, () -> bean)
        .withPropertyValues("sash.policies.api.limits=5/s")
        .run(
            context ->
                assertThat(context.getBean(LimiterRegistry.class).names())
                    .containsExactly("api", "bean"));
    runner
        .withBean(Policy.class, () -> bean)
        .withPropertyValues("sash.policies.bean.limits=5/s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasRootCauseMessage(
                        "sash.policies.bean.limits: a bean is a policy of the same name"));
  }

  @Test
  void whoBelongsToATierMayBeABeansAffair() {
    runner
        .withBean(TierResolver.class, () -> (policy, key) -> key.endsWith("!") ? "vip" : null)
        .withPropertyValues("sash.policies.api.limits=5/s", "sash.policies.api.tiers.vip=50/s")
        .run(
            context -> {
              Policy api = policy(context, "api");
              assertThat(api.limitsFor("ann")).containsExactly(Limit.parse("5/s"));
              assertThat(api.limitsFor("ann!")).containsExactly(Limit.parse("50/s"));
            });
  }

  @Test
  void theMemoryOfTheStoreIsBoundedByAProperty() {
    runner.run(
        context ->
            assertThat(context.getBean(InMemoryStore.class).maxBytes())
                .isEqualTo(InMemoryStore.create().maxBytes()));
    runner
        .withPropertyValues("sash.memory.max-bytes=64MB")
        .run(
            context ->
                assertThat(context.getBean(InMemoryStore.class).maxBytes()).isEqualTo(64L << 20));
    assertFails("sash.memory.max-bytes", "must be between 1 and", "sash.memory.max-bytes=0B");
  }

  @Test
  void everyBeanCanBeReplaced() {
    HttpLimiter own = HttpLimiter.builder().rule(dev.sash.http.HttpRule.forEverything()).build();
    LimiterRegistry none = new LimiterRegistry(InMemoryStore.create());
    runner
        .withBean(HttpLimiter.class, () -> own)
        .withBean(LimiterRegistry.class, () -> none)
        .run(
            context -> {
              assertThat(context.getBean(HttpLimiter.class)).isSameAs(own);
              assertThat(context.getBean(LimiterRegistry.class)).isSameAs(none);
            });
  }

  @Test
  void listenersAreCalledAfterTheCustomizersOfTheStore() {
    StringBuilder heard = new StringBuilder();
    runner
        .withBean(
            StoreCustomizer.class,
            () -> store -> new ListeningStore(store, (p, k, n, d) -> heard.append("inner ")))
        .withBean(dev.sash.DecisionListener.class, () -> (p, k, n, d) -> heard.append("outer"))
        .withPropertyValues("sash.policies.api.limits=5/s")
        .run(
            context -> {
              context.getBean(LimiterRegistry.class).get("api").tryAcquire("k");
              assertThat(heard).hasToString("inner outer");
            });
  }
}
