package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A limiter whose clock remembers what was waited for. */
final class PausesOf implements RateLimiter {
  private record Pause(long micros, CompletableFuture<Void> future) {}

  private final RateLimiter limiter;
  private final List<Pause> pauses = new ArrayList<>();

  PausesOf(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /** How long was asked to wait, in microseconds, each time. */
  synchronized List<Long> pauses() {
    return pauses.stream().map(Pause::micros).toList();
  }

  /** How many waits have neither ended nor been cancelled. */
  synchronized int pending() {
    return (int) pauses.stream().filter(pause -> !pause.future.isDone()).count();
  }

  @Override
  public MicroClock clock() {
    MicroClock clock = limiter.clock();
    return new MicroClock() {
      @Override
      public long micros() {
        return clock.micros();
      }

      @Override
      public CompletableFuture<Void> after(long micros) {
        synchronized (PausesOf.this) {
          Pause pause = new Pause(micros, clock.after(micros));
          pauses.add(pause);
          return pause.future;
        }
      }
    };
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return limiter.tryAcquire(key, permits);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    return limiter.tryAcquireAsync(key, permits);
  }

  @Override
  public Decision refund(String key, long permits) {
    return limiter.refund(key, permits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return limiter.refundAsync(key, permits);
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
  public RateLimiter under(List<Limit> limits) {
    return limiter.under(limits);
  }

  @Override
  public String toString() {
    return "pauses " + pauses() + ", pending " + pending();
  }
}
