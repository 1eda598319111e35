package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.MicroClock;
import dev.sash.store.KeyHandle;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one policy.
 *
 * <p>Keys are spread over segments, each a small hash table under a lock of its own that is held
 * for some ten nanoseconds. The clock is read before the lock is taken: a request that had to wait
 * for the lock is dated to when it came, or to the newest admission of its key if that is later.
 */
final class KeyTable {
  /** For the few states that must always find room. */
  static final MemoryBudget UNBOUNDED = new MemoryBudget(Long.MAX_VALUE);

  private static final Logger LOG = LoggerFactory.getLogger(KeyTable.class);
  private static final int MAX_SEGMENTS = 64;
  private static final int MIN_KEYS_PER_SEGMENT = 1024;
  private static final long SWEEP_PAUSE_MICROS = 1_000_000;
  private static final int SWEEPS_PER_ROUND = 30;
  private static final int BUCKETS_PER_LOCK = 64;
  private static final int KEYS_SAVED_PER_LOCK = 16;
  private static final long WARNING_PAUSE_MICROS = 60_000_000;

  /** Far beyond any clock, and far enough from overflow. */
  private static final long END_OF_TIME = 1L << 62;

  /** Nobody outside this process can tell which keys share a segment or a bucket. */
  private static final int SECRET = new SecureRandom().nextInt();

  private static final int SECRET_MULTIPLIER = new SecureRandom().nextInt() | 1;

  private final String policy;
  private final MicroClock clock;
  private final int maxKeys;
  private final Segment[] segments;
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicInteger sweepNext = new AtomicInteger();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final AtomicLong warnedMicros = new AtomicLong(Long.MIN_VALUE);
  private final MemoryBudget memory;

  KeyTable(String policy, MicroClock clock, int maxKeys, MemoryBudget memory) {
    this.policy = policy;
    this.clock = clock;
    this.maxKeys = maxKeys;
    this.memory = memory;
    int count = Math.max(1, Math.min(MAX_SEGMENTS, maxKeys / MIN_KEYS_PER_SEGMENT));
    this.segments = new Segment[Integer.highestOneBit(count)];
    Arrays.setAll(segments, i -> new Segment(this, memory));
  }

  String policy() {
    return policy;
  }

  Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    int hash = hash(key);
    return segment(hash).decide(operation, key, hash, limits, now(), permits);
  }

  KeyHandle handle(String key) {
    int hash = hash(key);
    return new HeldKey(this, segment(hash), key, hash);
  }

  /** Returns how many keys are held: those with something charged, and those not cleaned up yet. */
  int size() {
    return size.get();
  }

  boolean isFull() {
    return size.get() >= maxKeys || memory.used() >= memory.maxBytes();
  }

  boolean tryAddKey() {
    int before;
    do {
      before = size.get();
      if (before >= maxKeys) {
        return false;
      }
    } while (!size.compareAndSet(before, before + 1));
    if (!sweeping.get()) {
      startSweeping();
    }
    return true;
  }

  void removeKey() {
    size.decrementAndGet();
  }

  /** Returns the segments in turn. */
  Segment nextToSweep() {
    return segments[sweepNext.getAndIncrement() & (segments.length - 1)];
  }

  long now() {
    return Math.min(clock.micros(), END_OF_TIME);
  }

  /** High bits choose the segment, low bits the bucket. */
  private Segment segment(int hash) {
    return segments[(hash >>> 24) & (segments.length - 1)];
  }

  private static int hash(String key) {
    int hash = (key.hashCode() ^ SECRET) * SECRET_MULTIPLIER;
    hash = (hash ^ (hash >>> 15)) * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  /** Called under a segment's lock, which must not be held for long. */
  private void startSweeping() {
    if (sweeping.compareAndSet(false, true)) {
      runSoon(() -> sweepLater(new WeakReference<>(this), clock, 0));
    }
  }

  /** Called under a segment's lock when it begins to overflow. */
  void onFull() {
    long now = now();
    long last = warnedMicros.get();
    boolean isDue = last == Long.MIN_VALUE || now - last >= WARNING_PAUSE_MICROS;
    if (isDue && warnedMicros.compareAndSet(last, now)) {
      int keys = size.get();
      long bytes = memory.used();
      runSoon(
          () ->
              LOG.warn(
                  "Policy '{}' has no room for more keys ({} of {} keys, {} of {} bytes in the"
                      + " store): new keys share a limit until other keys are idle",
                  policy,
                  keys,
                  maxKeys,
                  bytes,
                  memory.maxBytes()));
    }
  }

  private static void runSoon(Runnable task) {
    logFailureOf(CompletableFuture.runAsync(task));
  }

  private static void logFailureOf(CompletableFuture<Void> task) {
    var unused =
        task.exceptionally(
            failure -> {
              LOG.warn("Sweeping idle keys failed", failure);
              return null;
            });
  }

  /** Sweeps while there are keys and the table is in use; between sweeps it may be collected. */
  private static void sweepLater(
      WeakReference<KeyTable> reference, MicroClock clock, int firstSegment) {
    Runnable sweep =
        () -> {
          KeyTable table = reference.get();
          if (table != null) {
            int next = table.sweep(firstSegment, table.segmentsPerSweep());
            if (table.hasKeysToSweep()) {
              sweepLater(reference, clock, next);
            }
          }
        };
    logFailureOf(clock.after(SWEEP_PAUSE_MICROS).thenRunAsync(sweep));
  }

  private int segmentsPerSweep() {
    return (segments.length + SWEEPS_PER_ROUND - 1) / SWEEPS_PER_ROUND;
  }

  private boolean hasKeysToSweep() {
    if (size() > 0) {
      return true;
    }
    sweeping.set(false);
    return size() > 0 && sweeping.compareAndSet(false, true);
  }

  /** Drops the idle keys of some segments, and returns the segment to continue with. */
  int sweep(int firstSegment, int count) {
    for (int i = 0; i < count; i++) {
      Segment segment = segments[(firstSegment + i) % segments.length];
      for (int left = segment.buckets(); left > 0; left -= BUCKETS_PER_LOCK) {
        segment.sweep(now(), BUCKETS_PER_LOCK);
      }
    }
    return (firstSegment + count) % segments.length;
  }

  /** Writes all keys. No lock is held for long, nor while something is written to the output. */
  void save(DataOutputStream out) throws IOException {
    ByteArrayOutputStream some = new ByteArrayOutputStream();
    for (Segment segment : segments) {
      List<Entry> entries = segment.entries();
      for (int from = 0; from < entries.size(); from += KEYS_SAVED_PER_LOCK) {
        int to = Math.min(entries.size(), from + KEYS_SAVED_PER_LOCK);
        segment.save(entries.subList(from, to), new DataOutputStream(some));
        some.writeTo(out);
        some.reset();
      }
    }
  }

  /** Adds a key with its states. Returns false if the key is held, or there is no room. */
  boolean restore(String key, LimitState[] states) {
    int hash = hash(key);
    return segment(hash).restore(key, hash, states);
  }

  /** Drops the idle keys of all segments. */
  void sweepAll() {
    sweep(0, segments.length);
  }
}
