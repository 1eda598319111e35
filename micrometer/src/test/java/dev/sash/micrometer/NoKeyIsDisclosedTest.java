package dev.sash.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys may be personal data, and there may be millions: no meter or observation contains one. */
class NoKeyIsDisclosedTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Observations seen = new Observations();
  private final RateLimiter limiter =
      new SashMeters(registry, seen.registry())
          .instrument(InMemoryStore.builder().maxKeys(2).build())
          .limiter(Policy.of("p", Limit.slidingLog(3, Duration.ofHours(1))));

  NoKeyIsDisclosedTest() {
    seen.registry()
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(registry));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann@example.org",
        "mallory\",outcome=\"allowed",
        "mallory\nsash_decisions_total 42",
        "mallory\r\n\0${jndi:mallory}",
        "{mallory}=mallory;mallory,mallory",
        "sash.decisions.mallory",
        "\uD800mallory\u202E"
      })
  void whateverCharactersItHas(String key) {
    String word = key.contains("mallory") ? "mallory" : "example";
    int before = registry.getMeters().size();
    limiter.tryAcquire(key, 2);
    limiter.tryAcquire(key, 2);
    limiter.tryAcquireAsync(key, 1).toCompletableFuture().join();
    limiter.acquireAsync(key, 1, Duration.ZERO).toCompletableFuture().join();
    limiter.peek(key);
    limiter.charge(key, 1);
    limiter.inspect(key);
    limiter.forKey(key).tryAcquire();
    limiter.refund(key, 1);
    limiter.refundAsync(key, 1).toCompletableFuture().join();
    limiter.reset(key);
    limiter.resetAsync(key).toCompletableFuture().join();
    assertThat(catchThrowable(() -> limiter.tryAcquire(key.repeat(1024), 1))).isNotNull();
    assertThat(catchThrowable(() -> limiter.tryAcquireAsync(key, -1))).isNotNull();

    assertThat(before).isPositive();
    assertThat(registry.scrape()).contains("sash_decisions_total").doesNotContain(word);
    assertThat(seen.stopped()).hasSameSizeAs(seen.started()).hasSizeGreaterThan(10);
    for (Observation.Context context : seen.stopped()) {
      assertThat(context.toString()).doesNotContain(word);
      assertThat(context.getAllKeyValues().toString()).doesNotContain(word);
      assertThat(String.valueOf(context.getContextualName())).doesNotContain(word);
    }
  }
}
