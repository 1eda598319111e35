package dev.sash.testkit;

import dev.sash.Algorithm;
import dev.sash.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks, after the fact, that a recorded history of one key kept the first two guarantees of the
 * sliding log: it never admitted more than L permits in a window, and never denied what fitted.
 *
 * <p><b>What is known.</b> An operation took effect at some tick d of the store's clock. Nobody saw
 * d, but the same clock was read before asking and after the answer, and it counts whole
 * microseconds, rounded down: since rounding keeps the order, {@code invoked <= d <= responded}
 * holds for the whole numbers themselves, without any allowance. A limiter that dates a request to
 * the newest admission before it stays within that interval too, for that admission came from a
 * clock read before.
 *
 * <p><b>Safety.</b> A window (t - W, t] holds the ticks t - W + 1 to t. It certainly holds an
 * operation if the whole interval lies inside: {@code t - W < invoked} and {@code responded <= t}.
 * If the permits admitted by those are more than L, the limit was exceeded, whatever the true ticks
 * were. An operation counts in this way for each t from {@code responded} to {@code invoked + W -
 * 1}, and for none if it took W or longer. The sum only grows where an operation responded, so
 * these t are enough: with the operations sorted by each end, one pass finds the worst window.
 *
 * <p><b>No false denial.</b> A request that was denied at tick d in {@code [invoked, responded]}
 * had before it at most what was admitted in (d - W, d]: operations that may have taken effect
 * after {@code invoked - W} and may have done so by {@code responded}. If even all of those
 * together leave room for it, it was denied for nothing. This holds for exact logs only: with
 * cells, charges are held longer on purpose.
 *
 * <p>Both judge in doubt for the limiter: the quicker the operations, the sharper the check.
 * Refunds and resets have no place in such a history.
 */
public final class HistoryChecker {
  /** What went wrong. */
  public enum Kind {
    /** More was admitted in a window than the limit. */
    OVER_LIMIT,
    /** A request was denied that fitted. */
    FALSE_DENIAL
  }

  /**
   * A proof that a guarantee was broken.
   *
   * @param kind which
   * @param fromMicros the first tick of the window, or when the denied request was made
   * @param toMicros the last tick of the window, or when the denial came
   * @param permits those admitted in the window at least, or at most, the denied ones included
   * @param limit the limit that was exceeded, or the first of those that had room
   */
  public record Violation(Kind kind, long fromMicros, long toMicros, long permits, Limit limit) {}

  /** More false denials than this are not listed. */
  private static final int MOST_LISTED = 10;

  private final History history;
  private final List<Limit> limits;

  private HistoryChecker(History history, List<Limit> limits) {
    this.history = history;
    this.limits = limits;
  }

  /**
   * Finds violations in O(n log n).
   *
   * @param history no longer than two hours
   * @param limits sliding logs that all held for the key
   * @return the worst window of each limit that was exceeded, and the first few false denials;
   *     empty if there is no violation
   */
  public static List<Violation> check(History history, Limit... limits) {
    for (Limit limit : limits) {
      if (limit.algorithm() != Algorithm.SLIDING_LOG) {
        throw new IllegalArgumentException("limits must be sliding logs, was " + limit);
      }
    }
    return new HistoryChecker(history, List.of(limits)).violations();
  }

  private List<Violation> violations() {
    List<Violation> violations = new ArrayList<>();
    for (Limit limit : limits) {
      addWorstWindow(limit, violations);
    }
    if (limits.stream().allMatch(limit -> limit.cells() == 0)) {
      addFalseDenials(violations);
    }
    return violations;
  }

  private void addWorstWindow(Limit limit, List<Violation> violations) {
    long window = limit.windowMicros();
    Timeline invoked = new Timeline(history, true, window - 1);
    Timeline responded = new Timeline(history, false, window - 1);
    long most = 0;
    long mostAt = 0;
    int left = 0;
    for (int i = 0; i < responded.size(); i++) {
      long time = responded.time(i);
      while (invoked.time(left) <= time - window) {
        left++; // what left was quicker than a window, so it is among those that responded
      }
      long inside = responded.permitsBefore(i + 1) - invoked.permitsBefore(left);
      if (inside > most) {
        most = inside;
        mostAt = time;
      }
    }
    if (most > limit.permits()) {
      violations.add(new Violation(Kind.OVER_LIMIT, mostAt - window + 1, mostAt, most, limit));
    }
  }

  private void addFalseDenials(List<Violation> violations) {
    Timeline invoked = new Timeline(history, true, Long.MAX_VALUE);
    Timeline responded = new Timeline(history, false, Long.MAX_VALUE);
    int found = 0;
    for (int i = 0; i < history.size() && found < MOST_LISTED; i++) {
      if (!history.isAllowed(i)) {
        long from = history.invoked(i);
        long to = history.responded(i);
        long perhapsBefore = invoked.permitsUpTo(to) + history.permits(i);
        boolean fitted = true;
        for (Limit limit : limits) {
          long gone = responded.permitsUpTo(from - limit.windowMicros());
          fitted &= perhapsBefore - gone <= limit.permits();
        }
        if (fitted) {
          Limit limit = limits.get(0);
          long gone = responded.permitsUpTo(from - limit.windowMicros());
          violations.add(new Violation(Kind.FALSE_DENIAL, from, to, perhapsBefore - gone, limit));
          found++;
        }
      }
    }
  }

  /** The admitted operations in the order of one of their ends, with running totals. */
  private static final class Timeline {
    /** A permit count takes 30 bits, which leaves 33 for the time. */
    private static final int PERMIT_BITS = 30;

    private final long[] times;
    private final long[] totals;

    Timeline(History history, boolean byInvocation, long longestMicros) {
      long[] packed = new long[history.size()];
      int size = 0;
      long origin = origin(history);
      for (int i = 0; i < history.size(); i++) {
        if (history.isAllowed(i) && history.responded(i) - history.invoked(i) <= longestMicros) {
          long time = (byInvocation ? history.invoked(i) : history.responded(i)) - origin;
          if (time >>> (Long.SIZE - 1 - PERMIT_BITS) != 0) {
            throw new IllegalArgumentException("history must be shorter than two hours");
          }
          packed[size++] = time << PERMIT_BITS | history.permits(i);
        }
      }
      Arrays.sort(packed, 0, size);
      times = new long[size];
      totals = new long[size + 1];
      for (int i = 0; i < size; i++) {
        times[i] = origin + (packed[i] >>> PERMIT_BITS);
        totals[i + 1] = totals[i] + (packed[i] & (1L << PERMIT_BITS) - 1);
      }
    }

    private static long origin(History history) {
      long origin = Long.MAX_VALUE;
      for (int i = 0; i < history.size(); i++) {
        origin = Math.min(origin, history.invoked(i));
      }
      return origin;
    }

    int size() {
      return times.length;
    }

    long time(int i) {
      return times[i];
    }

    /** The permits of the first operations, as many as given. */
    long permitsBefore(int i) {
      return totals[i];
    }

    /** The permits of the operations up to that time. */
    long permitsUpTo(long time) {
      int low = 0;
      int high = times.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (times[middle] <= time) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return totals[low];
    }
  }
}
