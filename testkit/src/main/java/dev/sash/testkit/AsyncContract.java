package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The asynchronous methods do the same as the others, and report errors through the stage. */
@Timeout(60)
public abstract class AsyncContract extends StoreContract {
  /** For subclasses. */
  protected AsyncContract() {}

  @TestFactory
  Stream<DynamicTest> decidesTheSameAsynchronously() {
    return onEveryAlgorithm(
        limiter -> {
          RateLimiter other = limiter(limiter.policy().limits().get(0).toString());
          for (int step = 0; step < 60; step++) {
            clock.setMicros(step * 90_000L);
            long permits = step % 5;
            assertThat(result(limiter.tryAcquireAsync("k", permits)))
                .isEqualTo(other.tryAcquire("k", permits));
            if (step % 7 == 0) {
              assertThat(result(limiter.chargeAsync("k", permits)))
                  .isEqualTo(other.charge("k", permits));
            }
            if (step % 11 == 0) {
              assertThat(result(limiter.refundAsync("k", permits)))
                  .isEqualTo(other.refund("k", permits));
            }
            if (step % 20 == 0) {
              result(limiter.resetAsync("k"));
              other.reset("k");
            }
            assertThat(Usages.comparable(result(limiter.inspectAsync("k"))))
                .isEqualTo(Usages.comparable(other.inspect("k")));
          }
        });
  }

  @Test
  void aFailingTierFunctionFailsTheStage() {
    IllegalStateException failure = new IllegalStateException("no such plan");
    RateLimiter limiter =
        limiter(
            policy()
                .withTiers(
                    key -> {
                      throw failure;
                    }));

    for (CompletionStage<?> stage : everyStage(limiter)) {
      assertThat(stage)
          .isCompletedExceptionally()
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .havingRootCause()
          .isSameAs(failure);
    }
  }

  @Test
  void aKeyWithoutALimitFailsTheStage() {
    RateLimiter limiter = limiter(policy().withTiers(key -> List.of()));

    for (CompletionStage<?> stage : everyStage(limiter)) {
      assertThat(stage)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .havingRootCause()
          .isInstanceOf(IllegalStateException.class)
          .withMessageContaining("has no limit for this key's tier");
    }
  }

  @Test
  void givesBackAsynchronouslyByReceipt() {
    RateLimiter limiter = limiter(policy().withLimit(Limit.parse("3/1s")));
    Decision charged = limiter.tryAcquire("k", 3);
    Decision denied = limiter.tryAcquire("k", 2);

    assertThat(result(limiter.refundAsync("k", 2, denied)).used()).isEqualTo(3);
    assertThat(result(limiter.refundAsync("k", 2, charged)).used()).isOne();
  }

  private static List<CompletionStage<?>> everyStage(RateLimiter limiter) {
    return List.of(
        limiter.tryAcquireAsync("k", 1),
        limiter.tryAcquireAsync("k", 0),
        limiter.acquireAsync("k", 1, Duration.ofHours(1)),
        limiter.chargeAsync("k", 1),
        limiter.refundAsync("k", 1),
        limiter.resetAsync("k"),
        limiter.inspectAsync("k"),
        limiter.forKey("k").tryAcquireAsync(1),
        limiter.forKey("k").acquireAsync(1, Duration.ofHours(1)));
  }

  private static <T> T result(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new AssertionError("the stage failed", e.getCause());
    }
  }
}
