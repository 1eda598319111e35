package dev.sash.grpc;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import dev.sash.testkit.ForwardingLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * A limiter whose store decides at once, and whose answers are on their way until they are let go.
 */
final class LateLimiter extends ForwardingLimiter {
  /** Permits were given back. */
  final CountDownLatch refunded = new CountDownLatch(1);

  /** Answers arrive when it is completed. */
  final CompletableFuture<Void> arrival = new CompletableFuture<>();

  LateLimiter(RateLimiter limiter) {
    super(limiter);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    Decision decision = limiter.tryAcquire(key, permits);
    return arrival.thenApply(arrived -> decision);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    CompletionStage<Decision> done = limiter.refundAsync(key, permits);
    refunded.countDown();
    return done;
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return tryAcquireAsync(key, permits).toCompletableFuture().join();
  }
}
