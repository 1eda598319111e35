package dev.sash.server.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on the bytes of unfinished input that all connections of a server hold together, whatever
 * their protocol. Thread-safe.
 */
public final class ByteBudget {
  private final long max;
  private final AtomicLong used = new AtomicLong();

  /**
   * Creates a budget.
   *
   * @param max the most bytes, 1 or more
   */
  public ByteBudget(long max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be 1 or more, was " + max);
    }
    this.max = max;
  }

  /**
   * Returns the bytes that are held.
   *
   * @return 0 to the maximum
   */
  public long used() {
    return used.get();
  }

  /**
   * Returns an empty share of the budget.
   *
   * @return a share, to be released
   */
  public Share share() {
    return new Share();
  }

  private boolean add(long more) {
    for (long before = used.get(); more <= max - before; before = used.get()) {
      if (used.compareAndSet(before, before + more)) {
        return true;
      }
    }
    return false;
  }

  /** The bytes that one connection or request holds. Not thread-safe. */
  public final class Share {
    private long held;

    private Share() {}

    /**
     * Changes the size of this share.
     *
     * @param bytes the bytes that are held from now on, 0 or more
     * @return false if they exceed the budget; the share is as large as before then
     */
    public boolean resize(long bytes) {
      boolean fits = bytes == held || add(bytes - held);
      if (fits) {
        held = bytes;
      }
      return fits;
    }

    /** Releases all bytes of this share. Does nothing if there are none. */
    public void release() {
      used.addAndGet(-held);
      held = 0;
    }
  }
}
