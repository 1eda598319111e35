package dev.sash.store;

import java.util.concurrent.TimeUnit;

/**
 * Until when to wait for a remote store. If this process itself was late meanwhile, the reply may
 * have arrived without anybody to read it: then the deadline begins again. Not thread-safe.
 */
final class Deadline {
  /** The most that anybody waits beyond a deadline; a process that stands still does not wait. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The part of a deadline for which a process must have been late to have missed a reply. */
  private static final long LATE_PART = 10;

  private final RemoteStore store;
  private final long nanos;
  private long lateNanos;
  private long endNanos;
  private long patienceNanos = PATIENCE_NANOS;

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
    endNanos = System.nanoTime() + nanos;
  }

  /** Returns the time left; nothing is left when it is 0 or less. */
  long remainingNanos() {
    return endNanos - System.nanoTime();
  }

  /**
   * Begins again, after the deadline has passed, if this process was late since it last began.
   *
   * @return whether there is time left now
   */
  boolean extend() {
    long late = store.lateNanos();
    if (late - lateNanos < nanos / LATE_PART || patienceNanos <= 0) {
      return false;
    }
    lateNanos = late;
    long more = Math.min(nanos, patienceNanos);
    patienceNanos -= more;
    endNanos = System.nanoTime() + more;
    return true;
  }
}
