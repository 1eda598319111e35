package dev.sash.micrometer;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A limiter whose store gives the answer that a test tells it, when the test tells it. */
final class ToldLimiter extends ForwardingLimiter {
  static final Limit LIMIT = Limit.parse("10/1s");

  /** The answer to everything. */
  volatile CompletableFuture<Decision> answer = new CompletableFuture<>();

  /** Happens inside every call. */
  volatile Runnable inCall = () -> {};

  ToldLimiter() {
    super(Sash.inMemory(Policy.of("told", LIMIT)));
  }

  static Decision allowed(Decision.Source source) {
    return Decision.allowed(LIMIT, 1, 9, 1_000_000, source);
  }

  static Decision denied(Decision.Source source) {
    return Decision.denied(LIMIT, 10, 0, 500_000, 1_000_000, source);
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    return now(key, permits);
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    inCall.run();
    return answer;
  }

  @Override
  public Decision refund(String key, long permits) {
    return now(key, permits);
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    return tryAcquireAsync(key, permits);
  }

  @Override
  public void reset(String key) {
    now(key, 0);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return tryAcquireAsync(key, 0).thenAccept(decision -> {});
  }

  @Override
  public RateLimiter under(List<Limit> limits) {
    return this;
  }

  private Decision now(String key, long permits) {
    try {
      return tryAcquireAsync(key, permits).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
