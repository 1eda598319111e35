package dev.sash.http;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import dev.sash.testkit.ForwardingLimiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A limiter that answers when it is told to, and writes down what it was asked. */
class LateLimiter extends ForwardingLimiter {
  private final Queue<Runnable> pending = new ArrayDeque<>();
  final List<String> log = new ArrayList<>();
  RuntimeException failure;

  LateLimiter(RateLimiter limiter) {
    super(limiter);
  }

  /** One that always says the same, at once. */
  static RateLimiter always(RateLimiter limiter, Decision decision) {
    return new LateLimiter(limiter) {
      @Override
      public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
        return CompletableFuture.completedFuture(decision);
      }

      @Override
      public CompletionStage<Decision> refundAsync(String key, long permits) {
        return limiter.refundAsync(key, permits);
      }
    };
  }

  /** Answers the oldest question; false if there is none. */
  boolean answer() {
    Runnable next = pending.poll();
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  private CompletionStage<Decision> later(Supplier<Decision> call) {
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(
        () -> {
          if (failure == null) {
            future.complete(call.get());
          } else {
            future.completeExceptionally(failure);
          }
        });
    return future;
  }

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    log.add("ask " + permits);
    return later(() -> limiter.tryAcquire(key, permits));
  }

  @Override
  public CompletionStage<Decision> refundAsync(String key, long permits) {
    log.add("refund " + permits);
    return later(() -> limiter.refund(key, permits));
  }

  @Override
  public Decision tryAcquire(String key, long permits) {
    throw new AssertionError("a thread would wait");
  }

  @Override
  public Decision refund(String key, long permits) {
    throw new AssertionError("a thread would wait");
  }
}
