package dev.sash.testkit;

import dev.sash.MicroClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A clock that stands still until it is moved, so that a test of an hour takes no time.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * RateLimiter limiter = InMemoryStore.builder().clock(clock).build().limiter(policy);
 * clock.advance(Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>Thread-safe. A {@linkplain #after wait} ends when the clock is moved to its end or beyond.
 */
public final class ManualClock implements MicroClock {
  private record Alarm(long atMicros, CompletableFuture<Void> future) {}

  private final List<Alarm> alarms = new ArrayList<>();
  private long micros;

  /** Creates a clock at 0. */
  public ManualClock() {}

  /**
   * Creates a clock.
   *
   * @param micros the time, in microseconds
   */
  public ManualClock(long micros) {
    this.micros = micros;
  }

  @Override
  public synchronized long micros() {
    return micros;
  }

  /**
   * Moves the clock forwards, or backwards if the duration is negative.
   *
   * @param duration by how much; truncated to whole microseconds
   */
  public void advance(Duration duration) {
    advanceMicros(Math.addExact(duration.toSeconds() * 1_000_000, duration.toNanosPart() / 1_000));
  }

  /**
   * Moves the clock forwards, or backwards if negative.
   *
   * @param byMicros by how many microseconds
   */
  public void advanceMicros(long byMicros) {
    List<Alarm> due;
    synchronized (this) {
      micros += byMicros;
      due = takeDue();
    }
    ring(due);
  }

  /**
   * Sets the clock to a time, earlier or later.
   *
   * @param newMicros the time, in microseconds
   */
  public void setMicros(long newMicros) {
    List<Alarm> due;
    synchronized (this) {
      micros = newMicros;
      due = takeDue();
    }
    ring(due);
  }

  @Override
  public CompletableFuture<Void> after(long byMicros) {
    CompletableFuture<Void> future = new CompletableFuture<>();
    synchronized (this) {
      if (byMicros > 0) {
        alarms.add(new Alarm(micros + Math.min(byMicros, Long.MAX_VALUE - micros), future));
        return future;
      }
    }
    future.complete(null);
    return future;
  }

  /**
   * Returns the number of waits that have neither ended nor been cancelled.
   *
   * @return 0 or more
   */
  public synchronized int waiting() {
    alarms.removeIf(alarm -> alarm.future.isDone());
    return alarms.size();
  }

  private List<Alarm> takeDue() {
    List<Alarm> due = new ArrayList<>();
    for (Alarm alarm : alarms) {
      if (alarm.atMicros <= micros) {
        due.add(alarm);
      }
    }
    alarms.removeAll(due);
    return due;
  }

  /** Outside the lock: dependent stages may use the clock again. */
  private static void ring(List<Alarm> due) {
    for (Alarm alarm : due) {
      alarm.future.complete(null);
    }
  }

  @Override
  public String toString() {
    return "manual clock at " + micros() + " µs";
  }
}
