package dev.sash.server.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys with the largest weights, in fixed memory: a Space-Saving sketch. Not thread-safe.
 *
 * <p>It keeps {@code m} keys, each with a count and an error. A key that is not kept replaces the
 * one with the least count, and inherits that count, since it may have had as much before; this is
 * its error. The counts then never add up to more than the total of all weights, so the least of
 * {@code m} is at most {@code total / m}. Hence, for every key that is kept,
 *
 * <pre>{@code
 * count - error <= true weight <= count,   error <= total / m
 * }</pre>
 *
 * <p>and every key with more than {@code total / m} is kept. The same holds after {@link #add} of
 * another sketch of the same capacity, with the total of both: a key that only one of them keeps
 * has at most the other's {@linkplain #absent bound for absent keys} there, which is added to its
 * count and its error.
 *
 * <p>Keys are identified by a 64-bit hash; two keys with one hash would be one. An update takes
 * O(log m), and allocates nothing.
 */
public final class HeavyHitters {
  private static final int MAX_CAPACITY = 1 << 16;

  private final long[] ids;
  private final @Nullable String[] labels;
  private final long[] counts;
  private final long[] errors;

  /** The slots of keys, the one with the least count first; and where each slot stands in it. */
  private final int[] heap;

  private final int[] positions;

  /** Open addressing with linear probing: 0 is empty, others are a slot plus 1. */
  private final int[] table;

  private int size;
  private long total;
  private long absent;

  /**
   * A key that is kept.
   *
   * @param id the hash of the key
   * @param label the key, or what stands for it; null if it is not known
   * @param count not less than the true weight
   * @param error the most by which the count is too large
   */
  public record Entry(long id, @Nullable String label, long count, long error) {}

  /**
   * Creates a sketch without keys.
   *
   * @param capacity the number of keys to keep, 1 to 65,536
   */
  public HeavyHitters(int capacity) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "capacity must be between 1 and " + MAX_CAPACITY + ", was " + capacity);
    }
    ids = new long[capacity];
    labels = new String[capacity];
    counts = new long[capacity];
    errors = new long[capacity];
    heap = new int[capacity];
    positions = new int[capacity];
    table = new int[Integer.highestOneBit(capacity) * 4];
  }

  /**
   * Adds weight to a key.
   *
   * @param id the hash of the key
   * @param label the key, or what stands for it; kept with the key
   * @param weight 0 or more
   */
  public void add(long id, @Nullable String label, long weight) {
    if (weight < 0) {
      throw new IllegalArgumentException("weight must be 0 or more, was " + weight);
    }
    if (weight == 0) {
      return;
    }
    total += weight;
    int slot = table[find(id)] - 1;
    if (slot >= 0) {
      counts[slot] += weight;
      siftDown(positions[slot]);
    } else if (size < ids.length) {
      put(id, label, weight + absent, absent);
    } else {
      replaceLeast(id, label, weight);
    }
  }

  private void replaceLeast(long id, @Nullable String label, long weight) {
    int slot = heap[0];
    absent = counts[slot];
    remove(find(ids[slot]));
    ids[slot] = id;
    labels[slot] = label;
    errors[slot] = absent;
    counts[slot] = absent + weight;
    table[find(id)] = slot + 1;
    siftDown(0);
  }

  /** Adds a key that is not kept yet to a sketch with room. */
  private void put(long id, @Nullable String label, long count, long error) {
    int slot = size++;
    ids[slot] = id;
    labels[slot] = label;
    counts[slot] = count;
    errors[slot] = error;
    heap[slot] = slot;
    positions[slot] = slot;
    table[find(id)] = slot + 1;
    siftUp(slot);
  }

  /**
   * Adds another sketch to this one.
   *
   * @param other of the same capacity; not changed
   */
  public void add(HeavyHitters other) {
    if (other.ids.length != ids.length) {
      throw new IllegalArgumentException(
          "capacity must be " + ids.length + " as here, was " + other.ids.length);
    }
    add(other.entries(), other.total, other.absent);
  }

  private void add(List<Entry> others, long theirTotal, long theirAbsent) {
    Map<Long, Entry> merged = new HashMap<>();
    for (Entry mine : entries()) {
      merged.put(mine.id, plus(mine, theirAbsent, theirAbsent));
    }
    for (Entry their : others) {
      Entry mine = merged.get(their.id);
      merged.put(
          their.id,
          mine == null
              ? plus(their, absent, absent)
              : plus(mine, their.count - theirAbsent, their.error - theirAbsent));
    }
    List<Entry> byCount = sorted(merged.values().stream().toList());
    long dropped = byCount.size() > ids.length ? byCount.get(ids.length).count : 0;
    long newAbsent = Math.max(absent + theirAbsent, dropped);
    long newTotal = total + theirTotal;
    clear();
    for (Entry entry : byCount.subList(0, Math.min(ids.length, byCount.size()))) {
      put(entry.id, entry.label, entry.count, entry.error);
    }
    total = newTotal;
    absent = newAbsent;
  }

  private static Entry plus(Entry entry, long count, long error) {
    return new Entry(entry.id, entry.label, entry.count + count, entry.error + error);
  }

  private void clear() {
    Arrays.fill(table, 0);
    Arrays.fill(labels, null);
    size = 0;
  }

  /**
   * Returns the keys that are kept.
   *
   * @return the largest count first; those with the same in no order
   */
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      entries.add(new Entry(ids[i], labels[i], counts[i], errors[i]));
    }
    return sorted(entries);
  }

  private static List<Entry> sorted(List<Entry> entries) {
    return entries.stream().sorted(Comparator.comparingLong(Entry::count).reversed()).toList();
  }

  /**
   * Returns the weight of all keys, exactly.
   *
   * @return 0 or more
   */
  public long total() {
    return total;
  }

  /**
   * Returns the most weight of a key that is not kept.
   *
   * @return at most {@code total / m}
   */
  public long absent() {
    return absent;
  }

  /** Where a key stands in the table, or would. */
  private int find(long id) {
    int at = home(id);
    while (table[at] != 0 && ids[table[at] - 1] != id) {
      at = (at + 1) & (table.length - 1);
    }
    return at;
  }

  private int home(long id) {
    return (int) (id ^ (id >>> 32)) & (table.length - 1);
  }

  /** Removes from the table, and closes the gap, so that nothing behind it is lost. */
  private void remove(int place) {
    int gap = place;
    int at = place;
    while (true) {
      at = (at + 1) & (table.length - 1);
      if (table[at] == 0) {
        table[gap] = 0;
        return;
      }
      int home = home(ids[table[at] - 1]);
      boolean mayMove = ((at - home) & (table.length - 1)) >= ((at - gap) & (table.length - 1));
      if (mayMove) {
        table[gap] = table[at];
        gap = at;
      }
    }
  }

  private void siftDown(int from) {
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        return;
      }
      if (child + 1 < size && counts[heap[child + 1]] < counts[heap[child]]) {
        child++;
      }
      if (counts[heap[at]] <= counts[heap[child]]) {
        return;
      }
      swap(at, child);
      at = child;
    }
  }

  private void siftUp(int from) {
    int at = from;
    while (at > 0 && counts[heap[at]] < counts[heap[(at - 1) / 2]]) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }

  private void swap(int a, int b) {
    int slot = heap[a];
    heap[a] = heap[b];
    heap[b] = slot;
    positions[heap[a]] = a;
    positions[heap[b]] = b;
  }
}
