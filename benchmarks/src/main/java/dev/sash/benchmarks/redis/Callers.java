package dev.sash.benchmarks.redis;

import dev.sash.benchmarks.Asked;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Threads that ask and wait for the answer, then ask again. */
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
  private final ExecutorService threads;

  Callers(int count) {
    this.count = count;
    this.threads = Executors.newFixedThreadPool(count);
  }

  int count() {
    return count;
  }

  /** Asks for keys at random, and reports what happened after the first while. */
  Load ask(Asked asked, List<String> keys, Duration warmUp, Duration measured) {
    return askInTurns(List.of(asked), keys, warmUp, measured, 1).get(0);
  }

  /**
   * Asks for keys at random, now this one, now that one, in short turns: what happens to the
   * machine meanwhile happens to all alike.
   *
   * @param turn how long one is asked before the next; twice in a row where the order turns around
   * @param turns how many each has
   * @return what happened with each after the first while
   */
  List<Load> askInTurns(
      List<Asked> asked, List<String> keys, Duration warmUp, Duration turn, int turns) {
    long from = System.nanoTime() + warmUp.toNanos();
    Schedule schedule = new Schedule(from, turn.toNanos(), turns, asked.size());
    List<Caller> callers =
        IntStream.range(0, count).mapToObj(i -> new Caller(asked, keys, schedule, i)).toList();
    run(callers);
    return IntStream.range(0, asked.size())
        .mapToObj(
            i -> {
              Tally sum = new Tally();
              callers.forEach(caller -> sum.add(caller.tallies.get(i)));
              return sum.over(turn.multipliedBy(turns));
            })
        .toList();
  }

  /**
   * Asks for one key so many times, or gives up.
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

  /** Whose turn it is when. */
  record Schedule(long fromNanos, long turnNanos, int turns, int contenders) {
    long toNanos() {
      return fromNanos + turnNanos * turns * contenders;
    }

    /** First to last, last to first, and so on. */
    int at(long nanos) {
      long turn = Math.max(0, nanos - fromNanos) / turnNanos;
      int place = (int) (turn % contenders);
      return turn / contenders % 2 == 0 ? place : contenders - 1 - place;
    }
  }

  /** What happened with one contender. */
  private static final class Tally {
    private final Histogram times = new Histogram(LONGEST_NANOS, DIGITS);
    private long decided;
    private long allowed;

    void add(Tally other) {
      times.add(other.times);
      decided += other.decided;
      allowed += other.allowed;
    }

    Load over(Duration time) {
      return new Load(
          decided * 1e9 / time.toNanos(), micros(50), micros(99), (double) allowed / decided);
    }

    private double micros(double percentile) {
      return times.getTotalCount() == 0 ? Double.NaN : times.getValueAtPercentile(percentile) / 1e3;
    }
  }

  private static final class Caller implements Callable<Void> {
    private final List<Asked> asked;
    private final List<String> keys;
    private final Schedule schedule;
    private final SplittableRandom random;
    private final List<Tally> tallies;

    Caller(List<Asked> asked, List<String> keys, Schedule schedule, int seed) {
      this.asked = asked;
      this.keys = keys;
      this.schedule = schedule;
      this.random = new SplittableRandom(seed);
      this.tallies = asked.stream().map(one -> new Tally()).toList();
    }

    @Override
    public Void call() {
      long from = schedule.fromNanos();
      long to = schedule.toNanos();
      long begin = System.nanoTime();
      while (begin < to) {
        int turn = schedule.at(begin);
        Tally tally = tallies.get(turn);
        boolean yes = asked.get(turn).tryAcquire(keys.get(random.nextInt(keys.size())));
        long end = System.nanoTime();
        if (begin >= from) {
          tally.times.recordValue(Math.min(end - begin, LONGEST_NANOS)); // however late it ends
        }
        if (end >= from && end < to) {
          tally.decided++;
          tally.allowed += yes ? 1 : 0;
        }
        begin = end;
      }
      return null;
    }
  }
}
