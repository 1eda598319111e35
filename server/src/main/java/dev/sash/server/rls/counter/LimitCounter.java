package dev.sash.server.rls.counter;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import dev.sash.server.rls.wire.RlsStatus.CurrentLimit;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Counts by a limit of Envoy's form.
 *
 * @param counting counts
 * @param time in which its store must have answered
 * @param key for whom
 * @param currentLimit the limit
 */
record LimitCounter(RateLimiter counting, TimeLimit time, String key, CurrentLimit currentLimit)
    implements Counter {
  @Override
  public String policy() {
    return counting.policy().name();
  }

  @Override
  public CompletionStage<Decision> tryAcquire(long permits) {
    return limiter().tryAcquireAsync(key, permits);
  }

  @Override
  public CompletionStage<Decision> charge(long permits) {
    return limiter().chargeAsync(key, permits);
  }

  @Override
  public CompletionStage<Decision> refund(long permits, @Nullable Decision charged) {
    return charged == null
        ? limiter().refundAsync(key, permits)
        : limiter().refundAsync(key, permits, charged);
  }

  private RateLimiter limiter() {
    return time.bounding(counting);
  }

  @Override
  public CurrentLimit limit(Decision decision) {
    return currentLimit;
  }
}
