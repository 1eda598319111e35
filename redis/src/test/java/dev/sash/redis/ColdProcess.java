package dev.sash.redis;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The main class of a process that has just started, as {@link ColdStartIT} runs it, with default
 * settings. It prints how many requests were admitted, and who decided.
 */
public final class ColdProcess {
  private final Map<Source, AtomicInteger> sources = new EnumMap<>(Source.class);
  private final AtomicInteger admitted = new AtomicInteger();

  private ColdProcess() {
    for (Source source : Source.values()) {
      sources.put(source, new AtomicInteger());
    }
  }

  /**
   * Runs.
   *
   * @param args {@code burst} or {@code busy}, and the URI of Redis
   */
  public static void main(String[] args) throws Exception {
    ColdProcess process = new ColdProcess();
    try (RedisStore store = RedisStore.connect(args[1])) {
      if (args[0].equals("burst")) {
        process.burst(store);
      } else {
        process.keepBusy(store);
      }
    }
    System.out.println("admitted " + process.admitted + " " + process.sources);
  }

  /** 200 threads ask for one key at once. */
  private void burst(RedisStore store) throws InterruptedException {
    RateLimiter limiter = store.limiter(Policy.of("api", Limit.parse("50/1h")));
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      boolean async = i % 2 == 0;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  note(
                      async
                          ? limiter.tryAcquireAsync("k", 1).toCompletableFuture().join()
                          : limiter.tryAcquire("k"));
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      thread.start();
      threads.add(thread);
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /**
   * 12 threads ask for as long as the input is open, while this process is stopped now and then.
   */
  private void keepBusy(RedisStore store) throws InterruptedException, IOException {
    RateLimiter limiter = store.limiter(Policy.of("api", Limit.parse("200/1h")));
    AtomicInteger stopped = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; stopped.get() == 0; n++) {
                  note(limiter.tryAcquire("k" + (number + n) % 1_000));
                  pause();
                }
              });
      thread.start();
      threads.add(thread);
    }
    System.out.println("busy");
    while (System.in.read() >= 0) {}
    stopped.set(1);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(Duration.ofMillis(1).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void note(Decision decision) {
    Objects.requireNonNull(sources.get(decision.source())).incrementAndGet();
    if (decision.allowed()) {
      admitted.incrementAndGet();
    }
  }
}
