package dev.sash.server.statistics;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts over time, in fixed memory: two rings of slots, a fine one and a coarse one that reaches
 * further back. The slots of a measure exist only once it is counted. A slot holds at most 2³¹ - 1.
 * Not thread-safe.
 *
 * <p>Times are milliseconds since the epoch and need not be in order: what is older than a ring
 * reaches is not counted in that ring.
 */
public final class TimeSeries {
  private static final long RATE_MILLIS = 5_000;

  private final Ring fine;
  private final Ring coarse;

  private TimeSeries(Ring fine, Ring coarse) {
    this.fine = fine;
    this.coarse = coarse;
  }

  /**
   * Returns a series of the last 15 minutes by seconds and the last 24 hours by minutes.
   *
   * @return takes 9.4 kB for each measure
   */
  public static TimeSeries detailed() {
    return new TimeSeries(new Ring(1_000, 900), new Ring(60_000, 1_440));
  }

  /**
   * Returns a series that is enough for sums: of the last minute by 10 seconds, and the last 24
   * hours by 10 minutes.
   *
   * @return takes 0.6 kB for each measure
   */
  public static TimeSeries compact() {
    return new TimeSeries(new Ring(10_000, 6), new Ring(600_000, 144));
  }

  /**
   * Counts.
   *
   * @param measure what
   * @param timeMillis when it was
   * @param count how many, 0 or more
   */
  public void add(Measure measure, long timeMillis, int count) {
    fine.add(measure, timeMillis, count);
    coarse.add(measure, timeMillis, count);
  }

  /**
   * Returns how many there were, up to and including the slot of now.
   *
   * @param windowMillis how far back; what exceeds the coarse ring is not known
   * @param nowMillis the current time
   * @return the sum of the slots that begin in the window
   */
  public long sum(Measure measure, long windowMillis, long nowMillis) {
    Ring ring = windowMillis <= fine.spanMillis() ? fine : coarse;
    long last = Math.floorDiv(nowMillis, ring.stepMillis);
    return ring.sum(measure, last - windowMillis / ring.stepMillis, last);
  }

  /**
   * Returns how many there are in a second, on average over the last 5 complete seconds, or 10 of a
   * compact series.
   *
   * @param nowMillis the current time
   */
  public double perSecond(Measure measure, long nowMillis) {
    long slots = Math.max(1, RATE_MILLIS / fine.stepMillis);
    long last = Math.floorDiv(nowMillis, fine.stepMillis) - 1;
    return fine.sum(measure, last - slots, last) * 1_000.0 / (slots * fine.stepMillis);
  }

  /**
   * Returns the slots of the fine ring.
   *
   * @param nowMillis the current time, in the last slot
   * @return the oldest first
   */
  public long[] fine(Measure measure, long nowMillis) {
    return fine.values(measure, nowMillis);
  }

  /**
   * Returns the slots of the coarse ring.
   *
   * @param nowMillis the current time, in the last slot
   * @return the oldest first
   */
  public long[] coarse(Measure measure, long nowMillis) {
    return coarse.values(measure, nowMillis);
  }

  /** Slots of one length, of which the newest replaces the oldest. */
  private static final class Ring {
    private final long stepMillis;
    private final int slots;

    private final Map<Measure, int[]> counts = new EnumMap<>(Measure.class);

    private long head = Long.MIN_VALUE / 2;
    private long headMillis = Long.MIN_VALUE / 2;
    private int headAt;

    Ring(long stepMillis, int slots) {
      this.stepMillis = stepMillis;
      this.slots = slots;
    }

    long spanMillis() {
      return stepMillis * slots;
    }

    void add(Measure measure, long timeMillis, int count) {
      long sinceHead = timeMillis - headMillis;
      int at = headAt;
      if (sinceHead < 0 || sinceHead >= stepMillis) {
        // Divisions are left to those that are not in the newest slot.
        long index = Math.floorDiv(timeMillis, stepMillis);
        advance(index);
        if (index <= head - slots) {
          return;
        }
        at = (int) Math.floorMod(index, (long) slots);
      }
      int[] ring = counts.get(measure);
      if (ring == null) {
        ring = new int[slots];
        counts.put(measure, ring);
      }
      ring[at] = (int) Math.min(Integer.MAX_VALUE, (long) ring[at] + count);
    }

    private void advance(long index) {
      long first = Math.max(head + 1, index - slots + 1);
      for (int[] ring : counts.values()) {
        for (long i = first; i <= index; i++) {
          ring[(int) Math.floorMod(i, (long) slots)] = 0;
        }
      }
      if (index > head) {
        head = index;
        headMillis = index * stepMillis;
        headAt = (int) Math.floorMod(index, (long) slots);
      }
    }

    private long at(int[] ring, long index) {
      boolean known = index <= head && index > head - slots;
      return known ? ring[(int) Math.floorMod(index, (long) slots)] : 0;
    }

    /** The sum of (after, last]. */
    long sum(Measure measure, long after, long last) {
      int[] ring = counts.get(measure);
      long sum = 0;
      for (long i = Math.max(after + 1, last - slots + 1); ring != null && i <= last; i++) {
        sum += at(ring, i);
      }
      return sum;
    }

    long[] values(Measure measure, long nowMillis) {
      long[] values = new long[slots];
      int[] ring = counts.get(measure);
      long last = Math.floorDiv(nowMillis, stepMillis);
      for (int i = 0; ring != null && i < slots; i++) {
        values[i] = at(ring, last - slots + 1 + i);
      }
      return values;
    }
  }
}
