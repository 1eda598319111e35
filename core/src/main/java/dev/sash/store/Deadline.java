package dev.sash.store;

/**
 * Until when to wait for a remote store. If this process itself was late meanwhile, the reply may
 * have arrived without anybody to read it: then the deadline begins again. Not thread-safe.
 */
final class Deadline {
  /** The part of a deadline for which a process must have been late to have missed a reply. */
  private static final long LATE_PART = 10;

  private final RemoteStore store;
  private final long nanos;
  private long lateNanos;
  private long endNanos;
  private final boolean isFirm;
  private long graceNanos;

  /**
   * Starts now.
   *
   * @param store the store to wait for
   * @param nanos how long
   * @param graceNanos how much longer at most while this process is late; a process that stands
   *     still does not wait
   */
  Deadline(RemoteStore store, long nanos, long graceNanos) {
    this.store = store;
    this.nanos = nanos;
    this.graceNanos = graceNanos;
    isFirm = graceNanos == 0;
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
    if (graceNanos <= 0 || !wasLate(late)) {
      return false;
    }
    lateNanos = late;
    long more = Math.min(nanos, graceNanos);
    graceNanos -= more;
    endNanos = System.nanoTime() + more;
    return true;
  }

  /** Returns whether this process was late, and was not given the time to make up for it. */
  boolean isFirmAndWasLate() {
    return isFirm && wasLate(store.lateNanos());
  }

  private boolean wasLate(long late) {
    return late - lateNanos >= nanos / LATE_PART;
  }
}
