package dev.sash.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of {@link Entry entries}, chained, under one lock. Methods without a lock of their
 * own are called while it is held.
 *
 * <p><b>Idle keys.</b> Adding a key first visits a few buckets, in turn, and drops the entries to
 * which nothing is charged any more; the table does the same now and then for segments to which no
 * keys are added. Nothing ever walks a whole segment under its lock.
 *
 * <p><b>Floods.</b> Strings with equal hash codes are easily made. When a chain grows longer than
 * chance explains, the table switches to a hash with a secret.
 */
abstract class EntryTable extends SpinLock {
  private static final int FIRST_BUCKETS = 8;
  private static final int BUCKETS_SWEPT_PER_NEW_KEY = 4;
  private static final int BUCKETS_SWEPT_WHEN_FULL = 64;

  /** With less than one key per bucket, chance makes a chain this long once in 10^13 buckets. */
  private static final int SUSPICIOUS_CHAIN = 16;

  final KeyTable keys;
  final MemoryBudget memory;
  private @Nullable Entry[] table = new @Nullable Entry[FIRST_BUCKETS];
  private int size;
  private int sweepAt;
  private @Nullable SecretHash secretHash;

  EntryTable(KeyTable keys, MemoryBudget memory) {
    this.keys = keys;
    this.memory = memory;
  }

  /** Drops what is idle in some buckets, and continues there next time. */
  final int sweep(long clockMicros, int buckets) {
    lock();
    try {
      return sweepLocked(clockMicros, buckets);
    } finally {
      unlock();
    }
  }

  final int buckets() {
    lock();
    try {
      return table.length;
    } finally {
      unlock();
    }
  }

  /** Returns the entries as they are now; they may be dropped or replaced meanwhile. */
  final List<Entry> entries() {
    lock();
    try {
      List<Entry> entries = new ArrayList<>(size);
      for (Entry first : table) {
        for (Entry entry = first; entry != null; entry = entry.next) {
          entries.add(entry);
        }
      }
      return entries;
    } finally {
      unlock();
    }
  }

  final @Nullable Entry find(String key, int hash) {
    int own = Entry.keptOf(secretHash == null ? hash : secretHash.of(key));
    Entry entry = table[own & (table.length - 1)];
    while (entry != null && !isOf(key, own, entry)) {
      entry = entry.next;
    }
    return entry;
  }

  @SuppressWarnings(
      "ReferenceEquality") // where keys are the same objects, this is all that is compiled
  private static boolean isOf(String key, int own, Entry entry) {
    return entry.key == key || (entry.hash() == own && key.equals(entry.key));
  }

  /** Sweeps a little, and more if the table is full: here, and where nobody else is at work. */
  final void makeRoom(long clockMicros) {
    boolean isFull = keys.isFull();
    int dropped =
        sweepLocked(clockMicros, isFull ? BUCKETS_SWEPT_WHEN_FULL : BUCKETS_SWEPT_PER_NEW_KEY);
    if (isFull && dropped == 0) {
      EntryTable other = keys.nextToSweep();
      if (other != this && other.tryLock()) {
        try {
          other.sweepLocked(clockMicros, BUCKETS_SWEPT_WHEN_FULL);
        } finally {
          other.unlock();
        }
      }
    }
  }

  /**
   * Adds an entry if there is room.
   *
   * @param overflow the overflow in which the key may have spent; 0 for none
   */
  final boolean add(Entry entry, String key, int hash, byte overflow) {
    long bytes = entry.bytes() + MemoryBudget.ofKey(key);
    if (!memory.tryReserve(bytes)) {
      return false;
    }
    if (!keys.tryAddKey()) {
      memory.release(bytes);
      return false;
    }
    if (size >= table.length - table.length / 4) {
      resize(2 * table.length);
    }
    entry.key = key;
    entry.hash(secretHash == null ? hash : secretHash.of(key));
    entry.overflow(overflow);
    link(entry);
    size++;
    if (secretHash == null && isSuspiciousChain(entry)) {
      secretHash = new SecretHash();
      resize(table.length);
    }
    return true;
  }

  private static boolean isSuspiciousChain(Entry first) {
    int length = 0;
    for (Entry entry = first; entry != null; entry = entry.next) {
      length++;
    }
    return length >= SUSPICIOUS_CHAIN;
  }

  private void link(Entry entry) {
    int bucket = entry.hash() & (table.length - 1);
    entry.next = table[bucket];
    table[bucket] = entry;
  }

  final void drop(Entry entry) {
    memory.release(entry.bytes() + MemoryBudget.ofKey(Objects.requireNonNull(entry.key)));
    replace(entry, entry.next);
    size--;
    keys.removeKey();
  }

  /** Takes an entry out of its chain: a handle that holds it must look for its key again. */
  final void replace(Entry entry, @Nullable Entry replacement) {
    entry.key = null;
    int bucket = entry.hash() & (table.length - 1);
    Entry before = table[bucket];
    if (before == entry) {
      table[bucket] = replacement;
      return;
    }
    while (Objects.requireNonNull(before).next != entry) {
      before = before.next;
    }
    before.next = replacement;
  }

  private void resize(int buckets) {
    @Nullable Entry[] old = table;
    table = new @Nullable Entry[buckets];
    sweepAt = 0;
    for (Entry first : old) {
      Entry entry = first;
      while (entry != null) {
        Entry next = entry.next;
        if (secretHash != null) {
          entry.hash(secretHash.of(Objects.requireNonNull(entry.key)));
        }
        link(entry);
        entry = next;
      }
    }
  }

  private int sweepLocked(long clockMicros, int buckets) {
    int dropped = 0;
    for (int i = Math.min(buckets, table.length); i > 0; i--) {
      sweepAt = (sweepAt + 1) & (table.length - 1);
      for (Entry entry = table[sweepAt]; entry != null; entry = entry.next) {
        if (entry.isIdle(clockMicros)) {
          drop(entry);
          dropped++;
        } else {
          memory.release(entry.trim(clockMicros));
        }
      }
    }
    if (dropped > 0 && table.length > FIRST_BUCKETS && size < table.length / 8) {
      resize(table.length / 2);
    }
    return dropped;
  }
}
