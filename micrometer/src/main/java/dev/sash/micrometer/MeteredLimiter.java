package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryLimiter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A limiter that counts its answers and times its store. */
final class MeteredLimiter extends ForwardingLimiter {
  private final PolicyMeters meters;

  MeteredLimiter(RateLimiter limiter, MeterRegistry registry) {
    super(limiter);
    this.meters = new PolicyMeters(registry, limiter.policy().name(), sourcesOf(limiter));
  }

  private MeteredLimiter(RateLimiter limiter, PolicyMeters meters) {
    super(limiter);
    this.meters = meters;
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return new MeteredLimiter(limiter.under(limits), meters);
  }

  private static Set<Source> sourcesOf(RateLimiter limiter) {
    return limiter instanceof InMemoryLimiter
        ? EnumSet.of(Source.STORE, Source.OVERFLOW)
        : EnumSet.allOf(Source.class);
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    long start = meters.now();
    Decision decision = limiter.tryAcquire(key, permits);
    meters.answered(decision, start);
    meters.decided(decision, permits);
    return decision;
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    long start = meters.now();
    return limiter
        .tryAcquireAsync(key, permits)
        .thenApply(
            decision -> {
              meters.answered(decision, start);
              meters.decided(decision, permits);
              return decision;
            });
  }

  @Override
  public Decision refund(String key, long permits) {
    long start = meters.now();
    return meters.answered(limiter.refund(key, permits), start);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    long start = meters.now();
    return limiter
        .refundAsync(key, permits)
        .thenApply(decision -> meters.answered(decision, start));
  }

  @Override
  public void reset(String key) {
    long start = meters.now();
    limiter.reset(key);
    meters.called(start);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    long start = meters.now();
    return limiter.resetAsync(key).thenRun(() -> meters.called(start));
  }
}
