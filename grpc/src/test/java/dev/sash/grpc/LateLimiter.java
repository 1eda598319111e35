package dev.sash.grpc;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * A limiter whose store decides at once, and whose answers are on their way until they are let go.
 */
final class LateLimiter implements RateLimiter {
  /** Permits were given back. */
  final CountDownLatch refunded = new CountDownLatch(1);

  /** Answers arrive when it is completed. */
  final CompletableFuture<Void> arrival = new CompletableFuture<>();

  private final RateLimiter limiter;

  LateLimiter(RateLimiter limiter) {
    this.limiter = limiter;
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

  @Override
  public Decision refund(String key, long permits) {
    return limiter.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    limiter.reset(key);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return limiter.resetAsync(key);
  }

  @Override
  public Policy policy() {
    return limiter.policy();
  }

  @Override
  public void changePolicy(Policy policy) {
    limiter.changePolicy(policy);
  }

  @Override
  public MicroClock clock() {
    return limiter.clock();
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return limiter.under(limits);
  }
}
