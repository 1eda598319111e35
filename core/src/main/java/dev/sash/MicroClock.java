package dev.sash;

import dev.sash.internal.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The clock that a store decides by: a count of microseconds, the <em>ticks</em> of Sash, from any
 * origin. Windows that are aligned are aligned to that origin.
 *
 * <p>A clock should not go backwards. If it does, a key stays at the newest time recorded for it
 * until the clock has caught up. Times below 0 count as 0. Implementations are thread-safe.
 */
@FunctionalInterface
public interface MicroClock {
  /**
   * The time now.
   *
   * @return microseconds since the clock's origin
   */
  long micros();

  /**
   * Completes when the clock has moved on by that much. Cancelling the future frees what waits for
   * it. Dependent stages may run on a timer's thread: use the {@code Async} forms for them.
   *
   * @param micros how long, in microseconds; 0 or less completes at once
   * @return completes with null, never exceptionally
   */
  default CompletableFuture<Void> after(long micros) {
    CompletableFuture<Void> future = new CompletableFuture<>();
    if (micros <= 0) {
      future.complete(null);
      return future;
    }
    Future<?> alarm =
        Timer.after(TimeUnit.MICROSECONDS.toNanos(micros), () -> future.complete(null));
    var unused = future.whenComplete((done, failure) -> alarm.cancel(false));
    return future;
  }

  /**
   * The monotonic clock of this machine, counted from the epoch as the wall clock had it when Sash
   * was loaded: aligned windows begin at whole minutes, hours and (UTC) days, and no later
   * correction of the wall clock disturbs them.
   *
   * @return the clock
   */
  static MicroClock system() {
    return SystemMicroClock.INSTANCE;
  }
}
