package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Asked;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Threads that send a request, wait for the response, and repeat: platform threads, or virtual ones
 * on a JDK that has them.
 */
final class Callers implements AutoCloseable {
  /**
   * What they saw; NaN where there was nothing to see.
   *
   * @param perSecond decisions of all of them together
   * @param p50Micros the time that half of the decisions took at most
   * @param p99Micros the time that 99 of 100 took at most
   * @param allowed the share that was allowed
   */
  record Load(double perSecond, double p50Micros, double p99Micros, double allowed) {}

  private static final long LONGEST_NANOS = Duration.ofSeconds(60).toNanos();
  private static final int DIGITS = 3;

  private final int count;
  private final boolean virtual;
  private final ExecutorService threads;

  Callers(int count) {
    this(count, false, Executors.newFixedThreadPool(count));
  }

  private Callers(int count, boolean virtual, ExecutorService threads) {
    this.count = count;
    this.virtual = virtual;
    this.threads = threads;
  }

  /** Returns callers on virtual threads, or nothing on a JDK without them. */
  static Optional<Callers> virtual(int count) {
    try {
      Object threads = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      return Optional.of(new Callers(count, true, (ExecutorService) threads));
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot start virtual threads", e);
    }
  }

  String label() {
    return count + (virtual ? " virtual" : count == 1 ? " caller" : " callers");
  }

  /** Sends requests for keys at random, and reports what happened after the warm-up. */
  Load ask(Asked asked, List<String> keys, Duration warmUp, Duration measured) {
    long from = System.nanoTime() + warmUp.toNanos();
    long to = from + measured.toNanos();
    List<Caller> callers =
        IntStream.range(0, count).mapToObj(i -> new Caller(asked, keys, from, to, i)).toList();
    run(callers);
    AbstractHistogram times = histogram();
    long decided = 0;
    long allowed = 0;
    for (Caller caller : callers) {
      times.add(caller.times);
      decided += caller.decided;
      allowed += caller.allowed;
    }
    return new Load(
        decided * 1e9 / measured.toNanos(),
        micros(times, 50),
        micros(times, 99),
        (double) allowed / decided);
  }

  private static AbstractHistogram histogram() {
    return new IntCountsHistogram(LONGEST_NANOS, DIGITS);
  }

  private static double micros(AbstractHistogram times, double percentile) {
    return times.getTotalCount() == 0 ? Double.NaN : times.getValueAtPercentile(percentile) / 1e3;
  }

  /**
   * Sends a number of requests for one key, or gives up.
   *
   * @return how many were allowed, or -1 if there was not enough time
   */
  long spend(Asked asked, String key, long requests, Duration patience) {
    AtomicLong left = new AtomicLong(requests);
    AtomicLong allowed = new AtomicLong();
    long end = System.nanoTime() + patience.toNanos();
    Callable<Void> caller =
        () -> {
          while (left.getAndDecrement() > 0 && System.nanoTime() < end) {
            if (asked.tryAcquire(key)) {
              allowed.incrementAndGet();
            }
          }
          return null;
        };
    run(Collections.nCopies(count, caller));
    return System.nanoTime() < end ? allowed.get() : -1;
  }

  private <T> void run(List<? extends Callable<T>> callers) {
    try {
      for (Future<T> caller : threads.invokeAll(callers)) {
        caller.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a caller failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  private static final class Caller implements Callable<Void> {
    private final Asked asked;
    private final List<String> keys;
    private final long from;
    private final long to;
    private final SplittableRandom random;
    private final AbstractHistogram times = histogram();
    private long decided;
    private long allowed;

    Caller(Asked asked, List<String> keys, long from, long to, int number) {
      this.asked = asked;
      this.keys = keys;
      this.from = from;
      this.to = to;
      this.random = new SplittableRandom(from + number);
    }

    @Override
    public Void call() {
      long begin = System.nanoTime();
      while (begin < to) {
        boolean yes = asked.tryAcquire(keys.get(random.nextInt(keys.size())));
        long end = System.nanoTime();
        if (begin >= from) {
          times.recordValue(Math.min(end - begin, LONGEST_NANOS)); // however late it ends
        }
        if (end >= from && end < to) {
          decided++;
          allowed += yes ? 1 : 0;
        }
        begin = end;
      }
      return null;
    }
  }
}
