package dev.sash.store;

import dev.sash.internal.Timer;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Futures with equal deadlines, which end in the order in which they began: one timer for all of
 * them instead of one for each. Thread-safe.
 */
final class DeadlineQueue {
  /** Futures that are done stay in the queue for no longer than that. */
  private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private record Entry(CompletableFuture<?> future, Deadline deadline, Runnable expire) {}

  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Adds a future.
   *
   * @param future the future
   * @param deadline as long as that of all others
   * @param expire what to do if the future is not done then
   */
  void add(CompletableFuture<?> future, Deadline deadline, Runnable expire) {
    entries.add(new Entry(future, deadline, expire));
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      schedule(deadline.remainingNanos());
    }
  }

  private void schedule(long nanos) {
    var unused = Timer.after(Math.min(nanos, SWEEP_NANOS), this::sweep);
  }

  private void sweep() {
    while (true) {
      Entry first = entries.peek();
      if (first == null) {
        scheduled.set(false);
        if (entries.isEmpty() || !scheduled.compareAndSet(false, true)) {
          return;
        }
        continue;
      }
      long remaining = first.future.isDone() ? 0 : first.deadline.remainingNanos();
      if (remaining > 0) {
        schedule(remaining);
        return;
      }
      entries.remove();
      end(first);
    }
  }

  private static void end(Entry entry) {
    if (entry.future.isDone()) {
      return;
    }
    if (entry.deadline.extend()) {
      var unused = Timer.after(entry.deadline.remainingNanos(), () -> end(entry));
    } else {
      entry.expire.run();
    }
  }
}
