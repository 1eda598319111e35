package dev.sash.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.spring.autoconfigure.SashAutoConfiguration;
import dev.sash.spring.autoconfigure.SashMethodAutoConfiguration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Methods whose result can come later do not wait, and do not keep the store's threads. */
@Timeout(30)
class LateDecisionsTest {
  static class Exports {
    @RateLimit("one")
    CompletableFuture<String> future() {
      return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }

    @RateLimit("one")
    Mono<String> mono() {
      return Mono.fromSupplier(() -> Thread.currentThread().getName());
    }
  }

  @Test
  void neitherTheCallerNorTheStoreWaits() {
    LateStore store = new LateStore();
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SashAutoConfiguration.class, SashMethodAutoConfiguration.class))
        .withPropertyValues("sash.policies.one.limits=2/1h")
        .withBean(LateStore.class, () -> store)
        .withBean(Exports.class)
        .run(
            context -> {
              Exports exports = context.getBean(Exports.class);
              CompletableFuture<String> future = exports.future();
              CompletableFuture<String> mono = exports.mono().toFuture();
              assertThat(store.pending()).isEqualTo(2);
              assertThat(future).isNotDone();
              assertThat(mono).isNotDone();

              store.decide();
              store.decide();
              assertThat(future.join()).isNotEqualTo("store");
              assertThat(mono.join()).isNotEqualTo("store");

              CompletableFuture<String> denied = exports.mono().toFuture();
              CompletableFuture<String> deniedToo = exports.future();
              store.decide();
              store.decide();
              assertThat(denied)
                  .failsWithin(java.time.Duration.ofSeconds(10))
                  .withThrowableThat()
                  .withCauseInstanceOf(RateLimitExceededException.class);
              assertThat(deniedToo)
                  .failsWithin(java.time.Duration.ofSeconds(10))
                  .withThrowableThat()
                  .withCauseInstanceOf(RateLimitExceededException.class);
            });
  }
}
