package dev.sash.testkit;

import java.util.Arrays;
import java.util.Collection;

/**
 * Requests for one key and whether they were admitted, each with the time read before and the time
 * read after: material for {@link HistoryChecker}. Kept in plain arrays, 20 bytes an operation, so
 * that millions fit.
 *
 * <p>Not thread-safe: each thread writes its own, and they are {@linkplain #joined joined} in the
 * end.
 */
public final class History {
  private static final int FIRST_OPERATIONS = 1024;

  private long[] invoked = new long[FIRST_OPERATIONS];
  private long[] responded = new long[FIRST_OPERATIONS];

  /** The permits of admitted operations, their complement (less than 0) of denied ones. */
  private int[] permits = new int[FIRST_OPERATIONS];

  private int size;

  /** Creates an empty history. */
  public History() {}

  /**
   * Joins several histories of the same key.
   *
   * @param parts in any order
   * @return a new history
   */
  public static History joined(Collection<History> parts) {
    History all = new History();
    all.reserve(parts.stream().mapToInt(History::size).sum());
    for (History part : parts) {
      System.arraycopy(part.invoked, 0, all.invoked, all.size, part.size);
      System.arraycopy(part.responded, 0, all.responded, all.size, part.size);
      System.arraycopy(part.permits, 0, all.permits, all.size, part.size);
      all.size += part.size;
    }
    return all;
  }

  /**
   * Records an operation. Operations may be recorded in any order.
   *
   * @param invokedMicros the store's clock, read before the request
   * @param respondedMicros the store's clock, read after the decision; not less than the other
   * @param permits the number of permits requested, 0 to 10⁹
   * @param allowed whether it was admitted
   */
  public void add(long invokedMicros, long respondedMicros, long permits, boolean allowed) {
    if (respondedMicros < invokedMicros) {
      throw new IllegalArgumentException(
          "respondedMicros must be at least " + invokedMicros + ", was " + respondedMicros);
    }
    if (size == invoked.length) {
      reserve(size + size / 2);
    }
    invoked[size] = invokedMicros;
    responded[size] = respondedMicros;
    this.permits[size] = allowed ? (int) permits : ~(int) permits;
    size++;
  }

  /**
   * Returns the number of operations.
   *
   * @return 0 or more
   */
  public int size() {
    return size;
  }

  /**
   * Returns the number of operations that were admitted.
   *
   * @return 0 to {@link #size}
   */
  public int admitted() {
    int admitted = 0;
    for (int i = 0; i < size; i++) {
      admitted += isAllowed(i) ? 1 : 0;
    }
    return admitted;
  }

  long invoked(int i) {
    return invoked[i];
  }

  long responded(int i) {
    return responded[i];
  }

  int permits(int i) {
    return isAllowed(i) ? permits[i] : ~permits[i];
  }

  boolean isAllowed(int i) {
    return permits[i] >= 0;
  }

  private void reserve(int operations) {
    int length = Math.max(operations, FIRST_OPERATIONS);
    invoked = Arrays.copyOf(invoked, length);
    responded = Arrays.copyOf(responded, length);
    permits = Arrays.copyOf(permits, length);
  }
}
