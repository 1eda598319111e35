package dev.sash.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures for how long this process was late itself: stopped, collecting garbage, or without a
 * processor. Some of its threads run a task every few milliseconds, while the result is used, and
 * any thread may report when it begins and ends a step that others wait for. Delays are added up;
 * those of several threads at the same time count once.
 *
 * <p>After a long delay, and after the start, a process has to {@linkplain #catchUp catch up}: work
 * has piled up, and code and data are not in the caches. That time counts as late, too.
 *
 * <p>A reply that was not handled while the process was late says nothing about the server.
 */
public final class Punctuality {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Timers are hardly more precise than that. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A delay after which the process has to catch up, for as long as it was late. */
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long MAX_CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Runs a task later. */
  @FunctionalInterface
  public interface Scheduler {
    /**
     * Runs a task later.
     *
     * @param nanos how much later
     * @param task the task
     */
    void after(long nanos, Runnable task);
  }

  /** One thread that runs the task. */
  private static final class Pulse {
    final Scheduler scheduler;

    /** When the task is to run next; 0 while it does not run. */
    volatile long dueNanos;

    Pulse(Scheduler scheduler) {
      this.scheduler = scheduler;
    }
  }

  /** Something that takes hardly any time, unless the thread that does it is stopped. */
  public final class Step {
    /** When the last thread that does it began; 0 while nobody does it. */
    private final AtomicLong beganNanos = new AtomicLong();

    private Step() {}

    /**
     * To be called before.
     *
     * @return what to end with
     */
    public long begin() {
      long now = nonZero(System.nanoTime());
      beganNanos.set(now);
      return now;
    }

    /**
     * To be called after; another thread may have begun again already.
     *
     * @param began what {@link #begin} returned
     */
    public void end(long began) {
      count(began, System.nanoTime());
      beganNanos.compareAndSet(began, 0);
    }
  }

  private final List<Pulse> pulses = new CopyOnWriteArrayList<>();
  private final List<Step> steps = new CopyOnWriteArrayList<>();
  private volatile long lateNanos;
  private volatile long countedUntilNanos = System.nanoTime();
  private volatile long catchUpEndNanos = countedUntilNanos;
  private volatile long askedNanos = countedUntilNanos - IDLE_NANOS;

  /**
   * Watches a thread.
   *
   * @param scheduler runs tasks on that thread
   */
  public void watch(Scheduler scheduler) {
    pulses.add(new Pulse(scheduler));
  }

  /** Returns a step that is watched from now on. */
  public Step step() {
    Step step = new Step();
    steps.add(step);
    return step;
  }

  /**
   * Returns for how long the process has been late since this was created, as far as it was being
   * watched. Watching goes on for a second after the last call.
   *
   * @return a number that only grows
   */
  public long lateNanos() {
    long now = System.nanoTime();
    if (now - askedNanos > INTERVAL_NANOS) {
      askedNanos = now;
      startAll(now);
    }
    if (overdueNanos(now) <= TOLERANCE_NANOS && catchUpEndNanos - countedUntilNanos <= 0) {
      return lateNanos; // what was overdue has been counted before
    }
    synchronized (this) {
      return lateNanos + uncountedNanos(overdueNanos(now), now);
    }
  }

  /**
   * Counts the time to come as late, as after the start of the process.
   *
   * @param nanos how long
   */
  public synchronized void catchUp(long nanos) {
    long now = System.nanoTime();
    countLate(overdueNanos(now), now);
    catchUpEndNanos = now + nanos;
  }

  /** Returns for how long the one has been overdue that has been for the longest. */
  private long overdueNanos(long now) {
    long overdue = 0;
    for (Pulse pulse : pulses) {
      overdue = Math.max(overdue, since(pulse.dueNanos, now));
    }
    for (Step step : steps) {
      overdue = Math.max(overdue, since(step.beganNanos.get(), now));
    }
    return overdue;
  }

  /** Returns for how long the process was late or catching up since that was last counted. */
  private long uncountedNanos(long overdue, long now) {
    long late = overdue > TOLERANCE_NANOS ? overdue : 0;
    long elapsed = Math.max(0, now - countedUntilNanos);
    long catchingUp = Math.max(0, Math.min(elapsed, catchUpEndNanos - countedUntilNanos));
    return Math.min(elapsed, late + catchingUp);
  }

  private static long since(long nanos, long now) {
    return nanos == 0 ? 0 : now - nanos;
  }

  private static long nonZero(long nanos) {
    return nanos == 0 ? 1 : nanos;
  }

  private synchronized void startAll(long now) {
    for (Pulse pulse : pulses) {
      if (pulse.dueNanos == 0) {
        scheduleNext(pulse, now);
      }
    }
  }

  private void scheduleNext(Pulse pulse, long now) {
    pulse.dueNanos = nonZero(now + INTERVAL_NANOS);
    try {
      pulse.scheduler.after(INTERVAL_NANOS, () -> beat(pulse));
    } catch (RuntimeException e) {
      pulses.remove(pulse); // its thread has ended
    }
  }

  private void count(long since, long now) {
    if (now - since > TOLERANCE_NANOS) {
      countLate(now - since, now);
    }
  }

  /** Counts what others are overdue by as well: for them, it begins again now. */
  private synchronized void countLate(long overdue, long now) {
    long late = Math.max(overdue, overdueNanos(now));
    long stall = Math.min(late, now - countedUntilNanos);
    lateNanos += uncountedNanos(late, now);
    countedUntilNanos = Math.max(countedUntilNanos, now);
    if (stall >= STALL_NANOS) {
      long end = now + Math.min(stall, MAX_CATCH_UP_NANOS);
      if (end - catchUpEndNanos > 0) {
        catchUpEndNanos = end;
      }
    }
  }

  private synchronized void beat(Pulse pulse) {
    long now = System.nanoTime();
    count(pulse.dueNanos, now);
    if (now - askedNanos > IDLE_NANOS) {
      pulse.dueNanos = 0;
    } else {
      scheduleNext(pulse, now);
    }
  }
}
