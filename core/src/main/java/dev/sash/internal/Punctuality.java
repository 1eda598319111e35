package dev.sash.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Measures for how long this process was late itself: stopped, collecting garbage, or without a
 * processor. Some of its threads run a task every few milliseconds, as long as anybody wants to
 * know; what they are late by is added up, what several are late by at the same time once.
 *
 * <p>A reply that was not handled while the process was late says nothing about the server.
 */
public final class Punctuality {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Timers are hardly more precise than that. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

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

  private final List<Pulse> pulses = new CopyOnWriteArrayList<>();
  private volatile long lateNanos;
  private volatile long countedUntilNanos = System.nanoTime();
  private volatile long askedNanos = countedUntilNanos - IDLE_NANOS;

  /** Creates one that watches the timer of Sash. */
  public Punctuality() {
    watch(
        (nanos, task) -> {
          var unused = Timer.after(nanos, task);
        });
  }

  /**
   * Watches another thread.
   *
   * @param scheduler runs tasks on that thread
   */
  public void watch(Scheduler scheduler) {
    pulses.add(new Pulse(scheduler));
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
    long overdue = 0;
    for (Pulse pulse : pulses) {
      long due = pulse.dueNanos;
      if (due != 0) {
        overdue = Math.max(overdue, now - due);
      }
    }
    if (overdue <= TOLERANCE_NANOS) {
      return lateNanos;
    }
    // Read last: what a task counts in between is at most counted twice.
    return lateNanos + Math.min(overdue, Math.max(0, now - countedUntilNanos));
  }

  private synchronized void startAll(long now) {
    for (Pulse pulse : pulses) {
      if (pulse.dueNanos == 0) {
        scheduleNext(pulse, now);
      }
    }
  }

  private void scheduleNext(Pulse pulse, long now) {
    long due = now + INTERVAL_NANOS;
    pulse.dueNanos = due == 0 ? 1 : due;
    try {
      pulse.scheduler.after(INTERVAL_NANOS, () -> beat(pulse));
    } catch (RuntimeException e) {
      pulses.remove(pulse); // its thread has ended
    }
  }

  private synchronized void beat(Pulse pulse) {
    long now = System.nanoTime();
    long from = Math.max(pulse.dueNanos, countedUntilNanos);
    if (now - from > TOLERANCE_NANOS) {
      lateNanos += now - from;
      countedUntilNanos = now;
    }
    if (now - askedNanos > IDLE_NANOS) {
      pulse.dueNanos = 0;
    } else {
      scheduleNext(pulse, now);
    }
  }
}
