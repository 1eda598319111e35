package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.client.OutgoingLimitException;
import dev.sash.client.OutgoingLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashClientAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import dev.sash.spring.client.OutgoingLimitFilter;
import dev.sash.spring.client.OutgoingLimitInterceptor;
import dev.sash.spring.config.BadConfigurationException;
import dev.sash.testkit.ManualClock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/** From {@code sash.client} to the beans that limit calls. */
@ExtendWith(OutputCaptureExtension.class)
class OutgoingConfigurationTest {
  private static final URI HOST = URI.create("https://api.example.com/");

  private final ManualClock clock = new ManualClock();
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withBean(InMemoryStore.class, () -> InMemoryStore.builder().clock(clock).build())
          .withConfiguration(
              AutoConfigurations.of(
                  SashAutoConfiguration.class,
                  SashMethodAutoConfiguration.class,
                  SashClientAutoConfiguration.class));

  @Test
  void unlessEnabledTheBeansAreThereAndNoClientIsChanged() {
    runner.run(
        context ->
            assertThat(context)
                .hasSingleBean(OutgoingLimiter.class)
                .hasSingleBean(OutgoingLimitInterceptor.class)
                .hasSingleBean(OutgoingLimitFilter.class)
                .doesNotHaveBean(RestClientCustomizer.class)
                .doesNotHaveBean(RestTemplateCustomizer.class)
                .doesNotHaveBean(WebClientCustomizer.class));
  }

  @Test
  void enabledItChangesAllClientsOfSpringBoot() {
    runner
        .withPropertyValues("sash.client.enabled=true")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(RestClientCustomizer.class)
                    .hasSingleBean(RestTemplateCustomizer.class)
                    .hasSingleBean(WebClientCustomizer.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.springframework.boot.restclient",
        "org.springframework.boot.webclient",
        "org.springframework.web",
        "org.springframework.http"
      })
  void anApplicationNeedNotHaveTheClients(String missing) {
    runner
        .withClassLoader(new FilteredClassLoader(missing))
        .withPropertyValues("sash.client.enabled=true")
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(OutgoingLimiter.class));
  }

  @Test
  void theInterceptorMayBeThereWithoutTheFilterAndTheOtherWayRound() {
    runner
        .withClassLoader(new FilteredClassLoader(ExchangeFilterFunction.class))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(OutgoingLimitInterceptor.class)
                    .doesNotHaveBean(OutgoingLimitFilter.class));
    runner
        .withClassLoader(new FilteredClassLoader(ClientHttpRequestInterceptor.class))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(OutgoingLimitFilter.class)
                    .doesNotHaveBean(OutgoingLimitInterceptor.class));
  }

  @Test
  void theLimiterIsWhatThePropertiesSay(CapturedOutput output) {
    runner
        .withPropertyValues(
            "sash.policies.partners.limits=2/1s",
            "sash.client.policy=partners",
            "sash.client.max-wait=1s",
            "sash.client.max-waiting=1",
            "sash.client.max-pause=10s",
            "sash.client.default-pause=5s")
        .run(
            context -> {
              OutgoingLimiter limiter = context.getBean(OutgoingLimiter.class);
              assertThat(call(limiter)).isCompleted();
              assertThat(call(limiter)).isCompleted();
              assertThat(call(limiter)).isNotDone();
              assertThat(reason(call(limiter)))
                  .isEqualTo(OutgoingLimitException.Reason.TOO_MANY_WAITING);
              clock.advance(Duration.ofMinutes(1));

              var unused = limiter.learn(HOST, 429, name -> null);
              assertThat(retryAfter(call(limiter))).isEqualTo(Duration.ofSeconds(5));
              unused = limiter.learn(HOST, 503, name -> List.of("3600"));
              assertThat(retryAfter(call(limiter))).isEqualTo(Duration.ofSeconds(10));
            });
    assertThat(output).doesNotContain("limits nothing");
  }

  @ParameterizedTest
  @CsvSource({
    "policy,        partner, 'policy must be one of [partners], was ''partner'''",
    "max-wait,      -1s,     maxWait must be between PT0S and PT264H",
    "max-waiting,   -1,      maxWaiting must be between 0 and 1000000",
    "max-pause,     0s,      maxPause must be between PT0.001S and PT264H",
    "default-pause, 12d,     defaultPause must be between PT0S and PT264H",
  })
  void aMistakeEndsTheStartAndNamesTheProperty(String property, String value, String message) {
    runner
        .withPropertyValues(
            "sash.policies.partners.limits=2/1s", "sash.client." + property + "=" + value)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(BadConfigurationException.class)
                    .hasMessageStartingWith("sash.client." + property + ": " + message));
  }

  @Test
  void anUnknownPropertyEndsTheStart() {
    runner
        .withPropertyValues("sash.client.max-wiat=1s")
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("wiat"));
  }

  @Test
  void aLimiterOfTheApplicationTakesThePlaceOfTheStarters() {
    runner
        .withBean("own", OutgoingLimiter.class, () -> own(clock))
        .run(context -> assertThat(context).hasSingleBean(OutgoingLimiter.class).hasBean("own"));
  }

  private static OutgoingLimiter own(ManualClock clock) {
    return OutgoingLimiter.builder(InMemoryStore.builder().clock(clock).build()).build();
  }

  private static CompletableFuture<Void> call(OutgoingLimiter limiter) {
    return limiter.acquire(HOST).toCompletableFuture();
  }

  private static OutgoingLimitException.Reason reason(CompletableFuture<Void> call) {
    return failure(call).reason();
  }

  private static Duration retryAfter(CompletableFuture<Void> call) {
    return failure(call).retryAfter();
  }

  private static OutgoingLimitException failure(CompletableFuture<Void> call) {
    assertThat(call).isCompletedExceptionally();
    return (OutgoingLimitException) call.handle((done, failure) -> failure).join();
  }
}
