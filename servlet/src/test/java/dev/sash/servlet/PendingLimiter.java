package dev.sash.servlet;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import dev.sash.testkit.ForwardingLimiter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A limiter whose decisions come later, on another thread: when the test lets them. */
final class PendingLimiter extends ForwardingLimiter {
  private final BlockingQueue<Runnable> pending = new LinkedBlockingQueue<>();

  PendingLimiter(RateLimiter limiter) {
    super(limiter);
  }

  int pending() {
    return pending.size();
  }

  /** Lets the oldest decisions come, waiting for them to be asked for. */
  void decide(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      Runnable decision = pending.poll(10, TimeUnit.SECONDS);
      if (decision == null) {
        throw new AssertionError("only " + i + " of " + count + " decisions were asked for");
      }
      Thread store = new Thread(decision, "store");
      store.start();
      store.join();
    }
  }

  /** Lets the oldest decision fail. */
  void fail() throws InterruptedException {
    broken = true;
    decide(1);
  }

  private volatile boolean broken;

  @Override
  public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(
        () -> {
          if (broken) {
            future.completeExceptionally(new IllegalStateException("broken on purpose"));
          } else {
            future.complete(limiter.tryAcquire(key, permits));
          }
        });
    return future;
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
