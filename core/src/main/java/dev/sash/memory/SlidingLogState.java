package dev.sash.memory;

import dev.sash.Limit;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The sliding log: every admission is charged until it is one window old.
 *
 * <p><b>Records.</b> A ring of ints, oldest first. A record holds the time at which its charge was
 * made and how many permits it stands for:
 *
 * <pre>
 *   head                      tail
 *    |                          |
 *    v                          v
 *   [ t0 | t1 | t2 | t3 | t4 | t5 ]      one record, one permit: 4 bytes
 *   [ t0 +3 | t1 +5 | t2 +6 ]            weighted: time and running total, 8 bytes
 * </pre>
 *
 * <p>Times are kept to their low 32 bits and read back as an age before the newest charge. All
 * records lie within one window of it, so that is exact for windows up to 71 minutes; longer
 * windows take 4 bytes more. As long as every request asks for one permit, the number of permits is
 * the number of records; the first request for more turns the log into a weighted one until it is
 * empty again. Running totals make every question a search instead of a walk: how much has expired,
 * and when enough will have.
 *
 * <p><b>Cells.</b> With c cells, a charge is dated to the last microsecond of the cell, of length
 * W/c, in which it was made: it may be released late, never early, and charges in one cell share
 * one record. At any time the live dates span less than W + W/c, so there are at most c + 1. The
 * exact log is the case of cells one microsecond long.
 */
final class SlidingLogState extends LimitState {
  private static final int[] EMPTY = {};
  private static final int FIRST_RECORDS = 4;
  private static final int MAX_INTS = 1 << 30;

  /** How many records are walked before searching: a branch that is foreseen costs little. */
  private static final int WALKED = 64;

  /** A ring up to this long is kept when it empties. */
  private static final int SMALL_INTS = 64;

  /** Records of {@code stride} ints: low half of the date, high half if wide, total if weighted. */
  private int[] ring = EMPTY;

  /** Where the oldest record begins in the ring. */
  private int head;

  /** How many records there are. */
  private int size;

  /**
   * Of a weighted log the running total before the oldest record; totals wrap around, only their
   * differences count. Otherwise the low half of the oldest date, so that the usual request need
   * not read the old end of the ring: with many keys, that would be one cache miss more.
   */
  private int base;

  /** The ints of a record. */
  private byte stride;

  /** Whether records hold a running total. */
  private boolean weighted;

  /** Whether dates take 64 bits: ages are less than a window and, with cells, a cell. */
  private final boolean wide;

  SlidingLogState(Limit limit) {
    super(limit);
    wide = limit.windowMicros() > (limit.cells() == 0 ? 1L << 32 : 1L << 31);
    weighted = limit.cells() > 0;
    stride = stride(weighted);
  }

  /**
   * The usual case in a straight line: one permit, and records of one int, which only an exact log
   * has. The decision is that of the general form.
   */
  @Override
  int acquire(long clockMicros, long permits, MemoryBudget memory, Outcome outcome) {
    long now = Math.max(clockMicros, newest);
    Limit limit = this.limit;
    int most = (int) limit.permits();
    if (permits != 1 || stride != 1 || size > most) {
      return super.acquire(now, permits, memory, outcome);
    }
    long window = limit.windowMicros();
    if (size > 0) {
      long oldestLifeLeft = newest - Integer.toUnsignedLong((int) newest - base) + window - now;
      if (oldestLifeLeft <= 0) {
        int second = head + 1 < ring.length ? head + 1 : 0;
        int date = ring[second];
        if (size == most
            && most > 1
            && newest - Integer.toUnsignedLong((int) newest - date) + window > now) {
          head = second; // a full log of which one record expires with each request
          base = date;
          size = most - 1;
        } else {
          forgetExpired(now, memory);
        }
      } else if (size == most) {
        outcome.set(size, 0, oldestLifeLeft, lifeLeft(size - 1, now));
        return 0;
      }
    }
    int[] records = ring;
    int count = size;
    if (count == records.length) {
      if (!grow(memory)) {
        return -1;
      }
      records = ring;
    }
    int slot = head + count;
    records[slot < records.length ? slot : slot - records.length] = (int) now;
    if (count == 0) {
      base = (int) now;
    }
    size = count + 1;
    newest = now;
    outcome.set(count + 1, most - count - 1, 0, window);
    return 0;
  }

  /** The records as they are, with totals that begin at 0. */
  @Override
  void saveCharges(DataOutputStream out) throws IOException {
    out.writeBoolean(weighted);
    out.writeInt(size);
    for (int record = 0; record < size; record++) {
      int slot = slot(record);
      out.writeInt(ring[slot]);
      if (wide) {
        out.writeInt(ring[slot + 1]);
      }
      if (weighted) {
        out.writeInt(total(record) - base);
      }
    }
  }

  @Override
  void loadCharges(DataInputStream in) throws IOException {
    weighted = in.readBoolean();
    stride = stride(weighted);
    size = in.readInt();
    ring = size == 0 ? EMPTY : new int[Math.max(FIRST_RECORDS, size) * stride];
    for (int i = 0; i < size * stride; i++) {
      ring[i] = in.readInt();
    }
    base = weighted || size == 0 ? 0 : ring[0];
  }

  @Override
  long used(long now) {
    int expired = expired(now);
    return expired == size ? 0 : permitsAfter(expired - 1);
  }

  @Override
  long untilDownTo(long now, long target) {
    // The newest record that must leave for no more than the target to stay.
    boolean isSimple = target == 0 || !weighted;
    return lifeLeft(isSimple ? size - 1 - (int) target : firstWithAtMostAfter(target), now);
  }

  @Override
  long resetAfter(long now) {
    return size == 0 ? 0 : Math.max(0, lifeLeft(size - 1, now));
  }

  @Override
  boolean makeRoom(long now, long permits, MemoryBudget memory) {
    if (size > 0 && age(0) >= lastDate() + limit.windowMicros() - now) {
      forgetExpired(now, memory);
    }
    if (!weighted && permits > 1) {
      return relayout(Math.max(size + 1, FIRST_RECORDS), true, memory);
    }
    return size * stride < ring.length || isOfLastRecord(date(now)) || grow(memory);
  }

  /** {@link #makeRoom} has forgotten what is expired. */
  @Override
  void charge(long now, long permits) {
    int total = weighted ? total(size - 1) + (int) permits : 0;
    if (!isOfLastRecord(date(now))) {
      append(date(now));
    }
    newest = now;
    if (weighted) {
      ring[slot(size - 1) + stride - 1] = total;
    }
  }

  /** Whether a charge of that date is added to the newest record. */
  private boolean isOfLastRecord(long date) {
    return weighted && size > 0 && age(size - 1) == lastDate() - date;
  }

  @Override
  void giveBack(long now, long permits) {
    int expired = expired(now);
    base = expired == 0 || expired == size ? base : baseAfter(expired);
    head = expired == size ? head : slot(expired);
    size -= expired;
    newest = now;
    if (permits >= used(now)) {
      size = 0;
    } else if (!weighted) {
      size -= (int) permits;
    } else if (permits > 0) {
      int total = total(size - 1) - (int) permits;
      size = firstWithAtMostAfter(permits) + 1;
      ring[slot(size - 1) + stride - 1] = total;
    }
  }

  @Override
  int records(long now) {
    return size - expired(now);
  }

  @Override
  long recordBytes() {
    return MemoryBudget.ofInts(ring.length);
  }

  /** How many of the oldest records are a window old or older. */
  private int expired(long now) {
    if (size == 0) {
      return 0;
    }
    long expiredAge = lastDate() + limit.windowMicros() - now;
    if (age(0) < expiredAge) {
      return 0;
    }
    return expiredAge <= 0 ? size : searchExpired(expiredAge);
  }

  /**
   * Walks the oldest few records, among which the answer mostly is, and searches the others in
   * growing strides. The oldest has expired.
   */
  private int searchExpired(long expiredAge) {
    int high = 1;
    while (high < size && high < WALKED && age(high) >= expiredAge) {
      high++;
    }
    if (high < WALKED) {
      return high;
    }
    int low = high - 1; // expired
    while (high < size && age(high) >= expiredAge) {
      low = high;
      high <<= 1;
    }
    high = Math.min(high, size); // not expired, or the end
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (age(middle) >= expiredAge) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** The first record after which at most that many permits are charged, of a weighted log. */
  private int firstWithAtMostAfter(long permits) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (permitsAfter(middle) <= permits) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The permits of the records behind that one; all of them for -1. */
  private int permitsAfter(int record) {
    return weighted ? total(size - 1) - total(record) : size - 1 - record;
  }

  private int total(int record) {
    return record < 0 ? base : ring[slot(record) + stride - 1];
  }

  /**
   * Forgets expired records, and gives up memory that they took. One long method, so that the JIT
   * compiler does not make it a part of {@link #acquire}, which must stay small to be inlined
   * itself.
   */
  private void forgetExpired(long now, MemoryBudget memory) {
    int count = size;
    if (count == 0) {
      return;
    }
    int[] records = ring;
    int step = stride;
    int expired;
    if (step == 1) {
      // Mostly a few of the oldest; what is beyond is searched.
      int low = (int) newest;
      long expiredAge = newest + limit.windowMicros() - now;
      if (expiredAge <= 0) {
        expired = count;
      } else {
        int at = head;
        expired = 0;
        while (expired < count && Integer.toUnsignedLong(low - records[at]) >= expiredAge) {
          if (++expired == WALKED) {
            expired = expired(now);
            break;
          }
          at = at + 1 < records.length ? at + 1 : 0;
        }
      }
    } else {
      expired = expired(now);
    }
    if (expired == 0) {
      return;
    }
    if (expired < count) {
      base = weighted ? total(expired - 1) : records[slot(expired)];
      head = slot(expired);
      count -= expired;
      size = count;
      if (records.length > SMALL_INTS && count * step < records.length / 4) {
        relayout(2 * count, weighted, memory); // smaller: cannot fail
      }
      return;
    }
    size = 0;
    if (records.length > SMALL_INTS || (weighted && limit.cells() == 0)) {
      memory.release(MemoryBudget.ofInts(records.length));
      ring = EMPTY;
      head = 0;
      weighted = limit.cells() > 0;
      stride = stride(weighted);
    }
  }

  /** The {@link #base} when so many of the oldest records are gone, but not all. */
  private int baseAfter(int expired) {
    return weighted ? total(expired - 1) : ring[slot(expired)];
  }

  private boolean grow(MemoryBudget memory) {
    long most = limit.cells() > 0 ? limit.cells() + 1 : limit.permits();
    long roomier = Math.max(FIRST_RECORDS, 2L * size);
    // Only a charge that does not fit needs more than the most.
    return relayout((int) (size < most ? Math.min(roomier, most) : roomier), weighted, memory);
  }

  /**
   * Moves the records to a ring of that many, with or without running totals.
   *
   * @return false if there is no memory for it: nothing has changed
   */
  private boolean relayout(int records, boolean nowWeighted, MemoryBudget memory) {
    int newStride = stride(nowWeighted);
    if ((long) records * newStride > MAX_INTS) {
      throw new IllegalStateException(
          "a sliding log can hold at most "
              + MAX_INTS / newStride
              + " records, needs "
              + records
              + ": give the limit cells");
    }
    if (!memory.tryReserve(MemoryBudget.ofInts(records * newStride) - recordBytes())) {
      return false;
    }
    int[] moved = new int[records * newStride];
    for (int i = 0; i < size; i++) {
      int from = slot(i);
      int to = i * newStride;
      moved[to] = ring[from];
      if (wide) {
        moved[to + 1] = ring[from + 1];
      }
      if (nowWeighted) {
        moved[to + newStride - 1] = weighted ? ring[from + stride - 1] : i + 1;
      }
    }
    ring = moved;
    head = 0;
    if (nowWeighted && !weighted) {
      base = 0;
    }
    weighted = nowWeighted;
    stride = (byte) newStride;
    return true;
  }

  /** Where a record begins. The ring is a whole number of records long. */
  private int slot(int record) {
    int slot = head + record * stride;
    return slot < ring.length ? slot : slot - ring.length;
  }

  private void append(long date) {
    if (size == 0 && !weighted) {
      base = (int) date;
    }
    int slot = slot(size);
    ring[slot] = (int) date;
    if (wide) {
      ring[slot + 1] = (int) (date >>> 32);
    }
    size++;
  }

  /** How long a record still counts; 0 or less if it has expired. */
  private long lifeLeft(int record, long now) {
    return lastDate() - age(record) + limit.windowMicros() - now;
  }

  /** How much earlier than {@link #lastDate} a record is dated. */
  private long age(int record) {
    int slot = slot(record);
    return wide
        ? lastDate() - (((long) ring[slot + 1] << 32) | Integer.toUnsignedLong(ring[slot]))
        : Integer.toUnsignedLong((int) lastDate() - ring[slot]);
  }

  /** The date of a charge made at the newest time; none is dated later. */
  private long lastDate() {
    return date(newest);
  }

  /** The last microsecond of the cell that the time falls into. */
  private long date(long time) {
    long cell = limit.cellMicros();
    return cell == 1 ? time : time - time % cell + cell - 1;
  }

  private byte stride(boolean isWeighted) {
    return (byte) (1 + (wide ? 1 : 0) + (isWeighted ? 1 : 0));
  }
}
