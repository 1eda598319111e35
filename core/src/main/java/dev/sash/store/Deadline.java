package dev.sash.store;

import java.util.concurrent.TimeUnit;

/**
 * Until when to wait for a remote store. It moves by the time that this process itself is late:
 * meanwhile the reply may have arrived without anybody to read it. Not thread-safe.
 */
final class Deadline {
  /** The most that anybody waits beyond a deadline; a process that stands still does not wait. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The least time to wait for once more. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final RemoteStore store;
  private final long lateNanos;
  private final long nanos;
  private final long firstEndNanos;
  private long endNanos;
  private long waitedNanos;

  /**
   * Starts now.
   *
   * @param store the store to wait for
   * @param nanos how long
   */
  Deadline(RemoteStore store, long nanos) {
    this.store = store;
    this.nanos = nanos;
    lateNanos = store.lateNanos();
    firstEndNanos = System.nanoTime() + nanos;
    endNanos = firstEndNanos;
  }

  /** Returns the time left; nothing is left when it is 0 or less. */
  long remainingNanos() {
    return endNanos - System.nanoTime();
  }

  /**
   * Moves the deadline, after it has passed, by what this process was late.
   *
   * @return whether there is time left now
   */
  boolean extend() {
    long now = System.nanoTime();
    long left = firstEndNanos + (store.lateNanos() - lateNanos) - now;
    if (left <= 0 || waitedNanos >= PATIENCE_NANOS) {
      return false;
    }
    long more = Math.min(nanos, Math.max(left, LEAST_NANOS));
    waitedNanos += more;
    endNanos = now + more;
    return true;
  }
}
