package dev.sash.testkit;

import dev.sash.Limit;
import dev.sash.Release;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one key has been charged under one limit. Each algorithm defines how many permits are used
 * at a time, now or in the future; everything else follows from that in the same way for all.
 */
abstract class Ledger {
  /** Longer waits are reported as this. */
  static final long LONGEST_WAIT = 1L << 62;

  /** The wait of a request that exceeds the capacity. */
  static final long NEVER = Long.MAX_VALUE;

  /** The limit in force. Its permits may change, its window and cells never do. */
  Limit limit;

  /** The newest time recorded: for this key and kind of limit, time does not go back behind it. */
  long newestMicros;

  /** Whether anything was recorded yet. */
  private boolean isRecorded;

  private Ledger(Limit limit) {
    this.limit = limit;
  }

  static Ledger of(Limit limit) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> new Log(limit);
      case SLIDING_COUNTER -> new SlidingCounter(limit);
      case FIXED_WINDOW -> new FixedWindow(limit);
      case TOKEN_BUCKET -> new TokenBucket(limit);
    };
  }

  /**
   * The permits used {@code wait} ticks after {@code now} if nobody spends meanwhile. The longer
   * the wait, the fewer.
   */
  abstract long used(long now, long wait);

  /** Adds 1 or more permits, whether they fit or not. */
  abstract void add(long now, long permits);

  /** Takes back up to that many permits, 1 or more, the most recent first. Something is used. */
  abstract void takeBack(long now, long permits);

  /** How many records the permits are kept in. */
  abstract long records(long now);

  /**
   * Called when the permits are about to change; returns whether that makes now the newest time.
   */
  boolean settle(Limit changed, long now) {
    return false;
  }

  final void charge(long now, long permits) {
    add(now, permits);
    record(now);
  }

  final void refund(long now, long permits) {
    takeBack(now, permits);
    record(now);
  }

  /** Puts a limit in force that differs in permits at most. */
  final void putInForce(Limit changed, long now) {
    if (settle(changed, now)) {
      record(now);
    }
    limit = changed;
  }

  private void record(long now) {
    newestMicros = now;
    isRecorded = true;
  }

  /** Whether something was recorded, and nothing is charged any more at that time. */
  final boolean isIdle(long time) {
    return isRecorded && used(Math.max(time, newestMicros)) == 0;
  }

  final long used(long now) {
    return used(now, 0);
  }

  final boolean fits(long now, long permits) {
    return used(now) + permits <= limit.capacity();
  }

  final long remaining(long now) {
    return Math.max(0, limit.capacity() - used(now));
  }

  final long retryAfter(long now, long permits) {
    return permits > limit.capacity() ? NEVER : untilUsedIsAtMost(limit.capacity() - permits, now);
  }

  final long resetAfter(long now) {
    return untilUsedIsAtMost(0, now);
  }

  /** For each twentieth of what is used, found anew, the wait; steps at the same time are one. */
  final List<Release> releases(long now) {
    TreeMap<Long, Long> leftAfter = new TreeMap<>();
    for (int twentieths = 19; twentieths >= 0; twentieths--) {
      long left = used(now) * twentieths / 20;
      if (left < used(now)) {
        leftAfter.merge(untilUsedIsAtMost(left, now), left, Math::min);
      }
    }
    return leftAfter.entrySet().stream()
        .map(each -> new Release(Duration.of(each.getKey(), ChronoUnit.MICROS), each.getValue()))
        .toList();
  }

  /** The least wait that is long enough, found by halving the range between two that are known. */
  private long untilUsedIsAtMost(long most, long now) {
    if (used(now) <= most) {
      return 0;
    }
    long tooShort = 0;
    long longEnough = 1;
    while (longEnough < LONGEST_WAIT && used(now, longEnough) > most) {
      tooShort = longEnough;
      longEnough = 2 * longEnough;
    }
    while (longEnough - tooShort > 1) {
      long middle = tooShort + (longEnough - tooShort) / 2;
      if (used(now, middle) <= most) {
        longEnough = middle;
      } else {
        tooShort = middle;
      }
    }
    return longEnough;
  }

  /** Counts each charge from its date until one window later. */
  private static final class Log extends Ledger {
    private record Charge(long date, long permits) {}

    private final List<Charge> charges = new ArrayList<>();

    Log(Limit limit) {
      super(limit);
    }

    @Override
    long used(long now, long wait) {
      long used = 0;
      for (Charge charge : charges) {
        if (charge.date > now + wait - limit.windowMicros()) {
          used += charge.permits;
        }
      }
      return used;
    }

    @Override
    void add(long now, long permits) {
      // For speed only. Now is recorded, so the key's time never falls behind it: these are gone.
      charges.removeIf(charge -> charge.date <= now - limit.windowMicros());
      charges.add(new Charge(date(now), permits));
    }

    @Override
    long records(long now) {
      return charges.stream().filter(charge -> charge.date > now - limit.windowMicros()).count();
    }

    /** The time itself, or with cells the last tick of the cell it lies in. */
    private long date(long now) {
      if (limit.cells() == 0) {
        return now;
      }
      long cell = (limit.windowMicros() + limit.cells() - 1) / limit.cells();
      return now - now % cell + cell - 1;
    }

    @Override
    void takeBack(long now, long permits) {
      long left = permits;
      while (left > 0 && !charges.isEmpty()) {
        Charge newest = charges.remove(charges.size() - 1);
        if (newest.permits > left) {
          charges.add(new Charge(newest.date, newest.permits - left));
        }
        left -= Math.min(left, newest.permits);
      }
    }
  }

  /** Counts per window, aligned to multiples of its length. */
  private abstract static class Windows extends Ledger {
    private final Map<Long, Long> counts = new HashMap<>();

    Windows(Limit limit) {
      super(limit);
    }

    final long window(long time) {
      return time / limit.windowMicros();
    }

    final long count(long window) {
      return counts.getOrDefault(window, 0L);
    }

    @Override
    void add(long now, long permits) {
      // For speed only: none of the algorithms looks farther back than to the previous window.
      counts.keySet().removeIf(window -> window < window(now) - 1);
      counts.merge(window(now), permits, Long::sum);
    }

    @Override
    final long records(long now) {
      return used(now) > 0 ? 1 : 0;
    }

    /** Takes from one window's count what is there, and returns how much that was. */
    final long take(long window, long permits) {
      long taken = Math.min(permits, count(window));
      counts.put(window, count(window) - taken);
      return taken;
    }
  }

  /** The count of the current window. */
  private static final class FixedWindow extends Windows {
    FixedWindow(Limit limit) {
      super(limit);
    }

    @Override
    long used(long now, long wait) {
      return count(window(now + wait));
    }

    @Override
    void takeBack(long now, long permits) {
      take(window(now), permits);
    }
  }

  /** The current count and the part of the previous one that is still covered, rounded down. */
  private static final class SlidingCounter extends Windows {
    SlidingCounter(Limit limit) {
      super(limit);
    }

    @Override
    long used(long now, long wait) {
      long time = now + wait;
      BigInteger previous = BigInteger.valueOf(count(window(time) - 1));
      BigInteger length = BigInteger.valueOf(limit.windowMicros());
      BigInteger covered = BigInteger.valueOf(limit.windowMicros() - time % limit.windowMicros());
      return previous.multiply(covered).divide(length).longValueExact() + count(window(time));
    }

    @Override
    void takeBack(long now, long permits) {
      long taken = take(window(now), permits);
      take(window(now) - 1, permits - taken);
    }
  }

  /**
   * The debt: what is missing in the bucket. It is kept multiplied by the window, as refill is
   * {@code permits / window} per tick: so all of it is whole numbers. When the refill changes, what
   * is refilled by then stays refilled.
   */
  private static final class TokenBucket extends Ledger {
    private BigInteger debtTimesWindow = BigInteger.ZERO;
    private long since;

    TokenBucket(Limit limit) {
      super(limit);
    }

    private BigInteger debtTimesWindow(long now, long wait) {
      BigInteger elapsed = BigInteger.valueOf(now - since).add(BigInteger.valueOf(wait));
      BigInteger refilled = elapsed.multiply(BigInteger.valueOf(limit.permits()));
      return debtTimesWindow.subtract(refilled).max(BigInteger.ZERO);
    }

    @Override
    long used(long now, long wait) {
      BigInteger[] debt =
          debtTimesWindow(now, wait).divideAndRemainder(BigInteger.valueOf(limit.windowMicros()));
      return debt[0].longValueExact() + debt[1].signum(); // rounded up
    }

    @Override
    void add(long now, long permits) {
      debtTimesWindow = debtTimesWindow(now, 0).add(timesWindow(permits));
      since = now;
    }

    @Override
    void takeBack(long now, long permits) {
      debtTimesWindow = debtTimesWindow(now, 0).subtract(timesWindow(permits)).max(BigInteger.ZERO);
      since = now;
    }

    @Override
    boolean settle(Limit changed, long now) {
      if (changed.permits() == limit.permits() || debtTimesWindow.signum() == 0) {
        return false;
      }
      debtTimesWindow = debtTimesWindow(now, 0);
      since = now;
      return true;
    }

    @Override
    long records(long now) {
      return used(now) > 0 ? 1 : 0;
    }

    private BigInteger timesWindow(long permits) {
      return BigInteger.valueOf(permits).multiply(BigInteger.valueOf(limit.windowMicros()));
    }
  }
}
