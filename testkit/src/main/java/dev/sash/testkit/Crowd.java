package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that call a limiter for a few keys as fast as they can and record what happens.
 *
 * @param threads how many
 * @param keys how many keys they share
 * @param mostPermits what one request asks for at most
 */
record Crowd(int threads, int keys, int mostPermits) {
  /** The history of each key. */
  List<History> ask(RateLimiter limiter, MicroClock clock, long decisions)
      throws InterruptedException {
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Callable<List<History>>> members = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(i);
      members.add(
          () -> {
            start.await();
            return askAlone(limiter, clock, decisions / threads, random);
          });
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      return byKey(pool.invokeAll(members));
    } finally {
      pool.shutdown();
    }
  }

  private List<History> askAlone(
      RateLimiter limiter, MicroClock clock, long decisions, SplittableRandom random) {
    List<History> histories = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      histories.add(new History());
    }
    for (long i = 0; i < decisions; i++) {
      int key = random.nextInt(keys);
      int permits = 1 + random.nextInt(mostPermits);
      String name = "key " + key;
      long invoked = clock.micros();
      Decision decision = limiter.tryAcquire(name, permits);
      long responded = clock.micros();
      histories.get(key).add(invoked, responded, permits, decision.allowed());
    }
    return histories;
  }

  private List<History> byKey(List<Future<List<History>>> members) throws InterruptedException {
    List<History> joined = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      List<History> parts = new ArrayList<>();
      for (Future<List<History>> member : members) {
        try {
          parts.add(member.get().get(key));
        } catch (ExecutionException e) {
          throw new AssertionError("a thread of the crowd failed", e.getCause());
        }
      }
      joined.add(History.joined(parts));
    }
    return joined;
  }
}
