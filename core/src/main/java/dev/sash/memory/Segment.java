package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys of a limiter under one lock: a hash table of {@link Entry entries}, chained.
 *
 * <p><b>Idle keys.</b> Whoever adds a key first looks at a few buckets, in turn, and drops the
 * entries to which nothing is charged any more; the limiter does the same now and then for tables
 * to which nobody adds. No one ever walks the whole table under the lock.
 *
 * <p><b>Full.</b> A segment holds a fixed number of keys and never drops a live one. When it is
 * full, keys that it does not hold share one entry: they are held to the limit together. Such a key
 * gets an entry of its own only when nothing is charged to the shared one any more, so that no key
 * can spend once here and once there.
 *
 * <p><b>Floods.</b> Strings with equal hash codes are easily made. When a chain grows longer than
 * chance explains, the segment goes over to a hash with a secret.
 */
final class Segment extends SpinLock {
  private static final int FIRST_BUCKETS = 8;
  private static final int BUCKETS_SWEPT_PER_NEW_KEY = 4;
  private static final int BUCKETS_SWEPT_WHEN_FULL = 64;

  /** With less than one key per bucket, chance makes a chain this long once in 10^13 buckets. */
  private static final int SUSPICIOUS_CHAIN = 16;

  private final InMemoryLimiter limiter;
  private final int maxKeys;
  private @Nullable Entry[] table = new @Nullable Entry[FIRST_BUCKETS];
  private int size;
  private int sweepAt;

  /** The time at which an entry was last forgotten: a key that comes back is not earlier. */
  private long floor;

  private @Nullable SecretHash secretHash;

  /** The shared entries, one for each kind of limits, since the segment was last full. */
  private @Nullable Map<List<Limit>, Entry> overflow;

  Segment(InMemoryLimiter limiter, int maxKeys) {
    this.limiter = limiter;
    this.maxKeys = maxKeys;
  }

  /**
   * A decision, or null if the terms are out of date: another policy is in force. Seen under the
   * lock, so that no decision by the old policy follows one by the new.
   */
  @Nullable Decision decide(String key, int hash, Terms terms, long clockMicros, long permits) {
    lock();
    try {
      if (isOutOfDate(terms)) {
        return null;
      }
      Entry entry = find(key, hash);
      return entry == null
          ? decideForNewKey(key, hash, terms, clockMicros, permits)
          : underTerms(entry, terms).decide(clockMicros, permits, Source.STORE);
    } finally {
      unlock();
    }
  }

  /** Gives back permits, if the key is held, and tells its state; null as {@link #decide}. */
  @Nullable Decision refund(String key, int hash, Terms terms, long clockMicros, long permits) {
    lock();
    try {
      if (isOutOfDate(terms)) {
        return null;
      }
      Entry entry = find(key, hash);
      if (entry == null) {
        // What a key may have spent together with others is not given back: others would get it.
        return decideForNewKey(key, hash, terms, clockMicros, 0);
      }
      entry = underTerms(entry, terms);
      entry.refund(clockMicros, permits);
      return entry.decide(clockMicros, 0, Source.STORE);
    } finally {
      unlock();
    }
  }

  void reset(String key, int hash) {
    lock();
    try {
      Entry entry = find(key, hash);
      if (entry != null) {
        replace(entry, entry.next);
        size--;
      }
    } finally {
      unlock();
    }
  }

  /** Drops what is idle in some buckets, and goes on there next time. */
  int sweep(long clockMicros, int buckets) {
    lock();
    try {
      return sweepLocked(clockMicros, buckets);
    } finally {
      unlock();
    }
  }

  int size() {
    lock();
    try {
      return size;
    } finally {
      unlock();
    }
  }

  int buckets() {
    lock();
    try {
      return table.length;
    } finally {
      unlock();
    }
  }

  private @Nullable Entry find(String key, int hash) {
    int own = secretHash == null ? hash : secretHash.of(key);
    Entry entry = table[own & (table.length - 1)];
    while (entry != null && !isOf(key, own, entry)) {
      entry = entry.next;
    }
    return entry;
  }

  @SuppressWarnings(
      "ReferenceEquality") // where keys are the same objects, this is all that is compiled
  private static boolean isOf(String key, int own, Entry entry) {
    return entry.key == key || (entry.hash == own && key.equals(entry.key));
  }

  @SuppressWarnings("ReferenceEquality") // the very same, or another policy
  private boolean isOutOfDate(Terms terms) {
    Terms inForce = limiter.termsInForce();
    return inForce != terms && inForce.policy() != terms.policy(); // tiers have terms of their own
  }

  private Entry underTerms(Entry entry, Terms terms) {
    if (entry.isFor(terms.only(), terms.limits())) {
      return entry;
    }
    Entry changed = entry.changedTo(terms.limits(), floor);
    if (changed != entry) {
      replace(entry, changed);
    }
    return changed;
  }

  private Decision decideForNewKey(
      String key, int hash, Terms terms, long clockMicros, long permits) {
    Entry shared = overflow == null ? null : chargedShare(overflow, terms, clockMicros);
    if (shared == null) {
      Entry entry = Entry.blank(terms.limits(), floor);
      Decision decision = entry.decide(clockMicros, permits, Source.STORE);
      if (permits == 0 || !decision.allowed()) {
        return decision; // nothing to remember
      }
      if (makeRoom(clockMicros)) {
        add(entry, key, hash);
        limiter.onNewKey();
        return decision;
      }
      shared = share(terms);
    }
    return shared.decide(clockMicros, permits, Source.OVERFLOW);
  }

  private boolean makeRoom(long clockMicros) {
    sweepLocked(clockMicros, size < maxKeys ? BUCKETS_SWEPT_PER_NEW_KEY : BUCKETS_SWEPT_WHEN_FULL);
    return size < maxKeys;
  }

  private void add(Entry entry, String key, int hash) {
    if (size >= table.length - table.length / 4) {
      resize(2 * table.length);
    }
    entry.key = key;
    entry.hash = secretHash == null ? hash : secretHash.of(key);
    link(entry);
    size++;
    if (secretHash == null && isSuspiciousChain(entry)) {
      secretHash = new SecretHash();
      resize(table.length);
    }
  }

  private static boolean isSuspiciousChain(Entry first) {
    int length = 0;
    for (Entry entry = first; entry != null; entry = entry.next) {
      length++;
    }
    return length >= SUSPICIOUS_CHAIN;
  }

  private void link(Entry entry) {
    int bucket = entry.hash & (table.length - 1);
    entry.next = table[bucket];
    table[bucket] = entry;
  }

  private void replace(Entry entry, @Nullable Entry replacement) {
    int bucket = entry.hash & (table.length - 1);
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
          entry.hash = secretHash.of(Objects.requireNonNull(entry.key));
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
          replace(entry, entry.next);
          dropped++;
        }
      }
    }
    if (dropped > 0) {
      size -= dropped;
      floor = Math.max(floor, clockMicros);
      if (table.length > FIRST_BUCKETS && size < table.length / 8) {
        resize(table.length / 2);
      }
    }
    return dropped;
  }

  /** The shared entry of the terms if anything is charged to it. */
  private @Nullable Entry chargedShare(
      Map<List<Limit>, Entry> shares, Terms terms, long clockMicros) {
    shares.values().removeIf(entry -> entry.isIdle(clockMicros));
    if (shares.isEmpty()) {
      overflow = null;
      return null;
    }
    return shares.containsKey(kind(terms)) ? share(terms) : null;
  }

  /** The shared entry of the terms, under the limits of this request. */
  private Entry share(Terms terms) {
    if (overflow == null) {
      overflow = new HashMap<>();
      limiter.onFull();
    }
    Entry shared =
        overflow.compute(
            kind(terms),
            (kind, entry) ->
                entry == null
                    ? Entry.blank(terms.limits(), floor)
                    : entry.changedTo(terms.limits(), floor));
    return shared;
  }

  /** Limits that share their state have one kind. */
  private static List<Limit> kind(Terms terms) {
    return terms.limits().stream()
        .map(limit -> new Limit(limit.algorithm(), 1, limit.windowMicros(), limit.cells(), 1))
        .toList();
  }
}
