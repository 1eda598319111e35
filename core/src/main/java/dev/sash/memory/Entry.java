package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is kept for one key, and the key's place in the table of its {@link Segment}, in
 * one object: with a million keys, each object more is a cache miss and sixteen bytes more.
 *
 * <p>Not thread-safe: the segment's lock guards it.
 */
abstract class Entry {
  /** Null while the entry is not in a table. */
  @Nullable String key;

  int hash;
  @Nullable Entry next;

  /**
   * An entry with nothing charged.
   *
   * @param limits at least one
   * @param floor the earliest time it may see
   */
  static Entry blank(List<Limit> limits, long floor) {
    return limits.size() == 1
        ? LimitState.blank(limits.get(0), floor)
        : new SeveralLimits(limits, floor);
  }

  /** Whether the entry is kept for just these limits; {@code only} is null if there are several. */
  abstract boolean isFor(@Nullable Limit only, List<Limit> limits);

  /** The state kept for a limit that shares its state with this one, or null. */
  abstract @Nullable LimitState stateFor(Limit limit);

  /** The newest time recorded for the key. */
  abstract long newest();

  /** Decides and, if allowed, charges. */
  abstract Decision decide(long clockMicros, long permits, Source source);

  /** Gives back up to that many of the newest permits. */
  abstract void refund(long clockMicros, long permits);

  /** Whether nothing is charged any more: the entry may be forgotten. */
  abstract boolean isIdle(long clockMicros);

  /**
   * The entry that takes this one's place when the limits have changed: what was charged under
   * limits that differ only in permits is kept.
   */
  final Entry changedTo(List<Limit> limits, long floor) {
    Entry changed = limits.size() == 1 ? stateFor(limits.get(0)) : null;
    if (changed == null) {
      changed = blank(limits, Math.max(floor, newest()));
    }
    changed.take(limits, this);
    changed.key = key;
    changed.hash = hash;
    changed.next = next;
    return changed;
  }

  /** Puts the limits in force, keeping what the former entry has for them. */
  abstract void take(List<Limit> limits, Entry former);
}
