package dev.sash.benchmarks.redis;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Callers that do not wait: a fixed number of requests is on its way, and whenever one is answered,
 * the next is sent, on the thread that brought the answer.
 */
final class InFlight {
  /** A limiter that answers later. */
  interface Limiter {
    /** Asks for one permit of a key, and completes with whether it is granted. */
    CompletionStage<Boolean> tryAcquire(String key);
  }

  /**
   * What they saw.
   *
   * @param perSecond decisions of all of them together
   * @param allowed the share that was allowed
   * @param decisions their number
   */
  record Load(double perSecond, double allowed, long decisions) {}

  private final Limiter limiter;
  private final List<String> keys;
  private final long to;
  private final AtomicLong decisions = new AtomicLong();
  private final AtomicLong allowed = new AtomicLong();

  private InFlight(Limiter limiter, List<String> keys, long to) {
    this.limiter = limiter;
    this.keys = keys;
    this.to = to;
  }

  /** Keeps that many requests in flight for that long. */
  static Load ask(Limiter limiter, List<String> keys, int count, Duration time) {
    long begin = System.nanoTime();
    InFlight all = new InFlight(limiter, keys, begin + time.toNanos());
    CompletableFuture<?>[] callers = new CompletableFuture<?>[count];
    for (int i = 0; i < count; i++) {
      callers[i] = all.new Caller(new SplittableRandom(begin + i)).start();
    }
    CompletableFuture.allOf(callers).join();
    long decided = all.decisions.get();
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new Load(decided / seconds, (double) all.allowed.get() / decided, decided);
  }

  private final class Caller {
    private final SplittableRandom random;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    Caller(SplittableRandom random) {
      this.random = random;
    }

    CompletableFuture<Void> start() {
      askOn();
      return done;
    }

    /** Asks until an answer does not come at once; the thread that brings it continues. */
    private void askOn() {
      while (System.nanoTime() < to) {
        CompletableFuture<Boolean> answer =
            limiter.tryAcquire(keys.get(random.nextInt(keys.size()))).toCompletableFuture();
        if (!answer.isDone()) {
          var unused =
              answer.whenComplete(
                  (yes, failure) -> {
                    if (count(yes, failure)) {
                      askOn();
                    }
                  });
          return;
        }
        if (!count(answer.getNow(null), null)) {
          return;
        }
      }
      done.complete(null);
    }

    private boolean count(@Nullable Boolean yes, @Nullable Throwable failure) {
      if (yes == null) {
        done.completeExceptionally(
            failure == null ? new IllegalStateException("no answer") : failure);
        return false;
      }
      decisions.incrementAndGet();
      if (yes) {
        allowed.incrementAndGet();
      }
      return true;
    }
  }
}
