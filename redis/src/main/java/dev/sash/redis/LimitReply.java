package dev.sash.redis;

import dev.sash.Limit;
import dev.sash.internal.Bounds;
import dev.sash.internal.MulDiv;

/**
 * What a script replied about one limit of a key. The scripts do on the server what must be done
 * there, in one step; what follows from their numbers is computed here.
 */
sealed interface LimitReply {
  /** The number of numbers for one limit. */
  int NUMBERS = 3;

  /**
   * Returns the meaning of three numbers.
   *
   * @param limit the limit
   */
  static LimitReply of(Limit limit, long first, long second, long third) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> new Log(first, second, third);
      case SLIDING_COUNTER -> new Counter(limit.windowMicros(), first, second, third);
      case FIXED_WINDOW -> new Window(first, limit.windowMicros() - third);
      case TOKEN_BUCKET -> new Bucket(limit.windowMicros(), limit.permits(), first, second);
    };
  }

  /** Returns the permits charged. */
  long used();

  /**
   * Returns the least wait until at most that many permits are charged, if nobody spends; 0 if
   * there are no more.
   *
   * @param permits for a log, the limit less the permits that were asked for, or 0
   */
  long until(long permits);

  /**
   * A log: only the server sees the dates, so that it computes the waits.
   *
   * @param used the permits charged
   * @param retryAfter the wait of the request
   * @param resetAfter the wait until nothing is charged
   */
  record Log(long used, long retryAfter, long resetAfter) implements LimitReply {
    @Override
    public long until(long permits) {
      return permits == 0 ? resetAfter : retryAfter;
    }
  }

  /**
   * A fixed window.
   *
   * @param used its count
   * @param left the time until it ends
   */
  record Window(long used, long left) implements LimitReply {
    @Override
    public long until(long permits) {
      return used <= permits ? 0 : left;
    }
  }

  /**
   * A sliding counter.
   *
   * @param window the window's length
   * @param current the count of the current window
   * @param previous the count of the window before
   * @param elapsed the time since the current window began
   */
  record Counter(long window, long current, long previous, long elapsed) implements LimitReply {
    public Counter {
      Bounds.check("elapsed", 0, window, elapsed);
    }

    @Override
    public long used() {
      return MulDiv.floor(previous, window - elapsed, window) + current;
    }

    /** The estimate only falls: the first of the two windows in which it is low enough decides. */
    @Override
    public long until(long permits) {
      if (used() <= permits) {
        return 0;
      }
      long at = current <= permits ? firstElapsed(previous, permits - current) : window;
      if (at >= window) {
        at = window + firstElapsed(current, permits);
      }
      return at - elapsed;
    }

    /**
     * The least e ≥ 0 with ⌊count (W - e) / W⌋ ≤ permits: from count (W - e) &lt; (permits + 1) W
     * follows W - e ≤ ⌈(permits + 1) W / count⌉ - 1.
     */
    private long firstElapsed(long count, long permits) {
      return count <= permits ? 0 : window - MulDiv.ceil(permits + 1, window, count) + 1;
    }
  }

  /**
   * A token bucket.
   *
   * @param window the window's length W
   * @param refill the permits that a window brings back
   * @param debt the whole permits that are missing
   * @param parts the W-ths of a permit that are missing beside them
   */
  record Bucket(long window, long refill, long debt, long parts) implements LimitReply {
    @Override
    public long used() {
      return parts > 0 ? debt + 1 : debt;
    }

    @Override
    public long until(long permits) {
      if (used() <= permits) {
        return 0;
      }
      long whole = MulDiv.floor(debt - permits, window, refill);
      if (whole == MulDiv.TOO_LARGE) {
        return whole;
      }
      long rest = MulDiv.floorRemainder(debt - permits, window, refill, whole) + parts;
      return whole - Math.floorDiv(-rest, refill);
    }
  }
}
