package dev.sash.spring;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import java.lang.reflect.Proxy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Limiters whose decisions come later, on a thread called store: when the test lets them. */
final class LateStore implements LimiterFactory {
  private final BlockingQueue<Runnable> pending = new LinkedBlockingQueue<>();

  @Override
  public RateLimiter limiter(Policy policy) {
    RateLimiter memory = Sash.inMemory(policy);
    return (RateLimiter)
        Proxy.newProxyInstance(
            RateLimiter.class.getClassLoader(),
            new Class<?>[] {RateLimiter.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "tryAcquireAsync" ->
                      later(memory, (String) arguments[0], (Long) arguments[1]);
                  case "tryAcquire" -> throw new AssertionError("a thread would wait");
                  default -> method.invoke(memory, arguments);
                });
  }

  private CompletableFuture<Decision> later(RateLimiter memory, String key, long permits) {
    CompletableFuture<Decision> future = new CompletableFuture<>();
    pending.add(() -> future.complete(memory.tryAcquire(key, permits)));
    return future;
  }

  int pending() {
    return pending.size();
  }

  /** Lets the oldest decision come, waiting for it to be asked for. */
  void decide() throws InterruptedException {
    Runnable decision = pending.poll(10, TimeUnit.SECONDS);
    if (decision == null) {
      throw new AssertionError("no decision was asked for");
    }
    Thread store = new Thread(decision, "store");
    store.start();
    store.join();
  }
}
