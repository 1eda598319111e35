package dev.sash.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that a store may take, and those that it takes, over all policies. Sizes are estimates
 * of a 64-bit JVM with compressed references. Thread-safe.
 */
final class MemoryBudget {
  /** What an entry takes beside its key and records: the object, and its place in the table. */
  static final int ENTRY_BYTES = 64;

  private static final int ARRAY_HEADER_BYTES = 16;

  /** A string and its array of characters. */
  private static final int STRING_BYTES = 24 + ARRAY_HEADER_BYTES;

  private final long maxBytes;
  private final AtomicLong used = new AtomicLong();

  MemoryBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  static long ofInts(int length) {
    return length == 0 ? 0 : ARRAY_HEADER_BYTES + 4L * length;
  }

  /** Counts two bytes for every character, as strings beyond Latin-1 have. */
  static long ofKey(String key) {
    return STRING_BYTES + 2L * key.length();
  }

  /**
   * Takes that many bytes if they are available; gives bytes back if negative. A large reservation
   * that fails does not make smaller ones of other threads fail.
   */
  boolean tryReserve(long bytes) {
    long before;
    do {
      before = used.get();
      if (bytes > 0 && before > maxBytes - bytes) {
        return false;
      }
    } while (!used.compareAndSet(before, before + bytes));
    return true;
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  long used() {
    return used.get();
  }

  long maxBytes() {
    return maxBytes;
  }
}
