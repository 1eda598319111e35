package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.store.ResolvedLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is kept for one key of one policy, and the key's place in the table of its {@link
 * Segment}, in one object: with a million keys, each additional object is a cache miss and sixteen
 * bytes. A key under one kind of limit is a {@link LimitState}; {@link SeveralLimits} holds more.
 *
 * <p>Not thread-safe: the segment's lock guards it.
 */
abstract class Entry {
  /** The higher bits choose the segment: they are the same for all of its keys. */
  private static final int HASH_BITS = 24;

  private static final int HASH_MASK = (1 << HASH_BITS) - 1;

  /** Null while the entry is not in a table: a handle then has to look for its key again. */
  @Nullable String key;

  @Nullable Entry next;

  /** The overflow in the highest byte, the hash below: another field would take eight bytes. */
  private int overflowAndHash;

  /** Returns the part of a hash that an entry keeps, and by which it is found in its segment. */
  static int keptOf(int hash) {
    return hash & HASH_MASK;
  }

  /** Returns the {@linkplain #keptOf kept} part of the key's hash. */
  final int hash() {
    return keptOf(overflowAndHash);
  }

  final void hash(int hash) {
    overflowAndHash = (overflowAndHash & ~HASH_MASK) | keptOf(hash);
  }

  /**
   * Returns the {@linkplain SharedStates#epoch overflow} in which this key may have spent; 0 for
   * none.
   */
  final byte overflow() {
    return (byte) (overflowAndHash >>> HASH_BITS);
  }

  final void overflow(byte epoch) {
    overflowAndHash = (epoch << HASH_BITS) | hash();
  }

  /** Whether {@link #acquire} may be called with these limits. */
  abstract boolean isFor(ResolvedLimits limits);

  /**
   * Decides and, if allowed, charges: the common case, without overflow and under the limits that
   * were used last.
   *
   * @param outcome receives the numbers of the decision
   * @return which of the limits decided; -1 if there is no memory for another record: nothing has
   *     changed
   */
  abstract int acquire(long clockMicros, long permits, MemoryBudget memory, Outcome outcome);

  /** Returns the state of a limit of that kind, or null. */
  abstract @Nullable LimitState stateFor(Limit limit);

  /** Returns whether nothing is charged any more: the entry may be forgotten. */
  abstract boolean isIdle(long clockMicros);

  /** Returns all states of the key. */
  abstract List<LimitState> states();

  /** Forgets idle parts, if any, and returns the bytes that they took. */
  abstract long trim(long clockMicros);

  /** Returns the bytes taken, without the key. */
  abstract long bytes();
}
