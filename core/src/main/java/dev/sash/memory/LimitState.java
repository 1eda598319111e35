package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.store.ResolvedLimits;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one limit has charged to one key. An algorithm is four functions of the state and the time;
 * everything in a decision follows from them, the same way for all:
 *
 * <ul>
 *   <li>a request for n fits iff {@code used + n <= capacity};
 *   <li>if it does not, it will when {@code used <= capacity - n}: that is {@code retryAfter};
 *   <li>nothing is charged when {@code used <= 0}: that is {@code resetAfter}.
 * </ul>
 *
 * <p>Reading ({@code used}, {@code until}) changes nothing, so that a denied request leaves no
 * trace. {@code now} is never before {@link #newest}.
 */
abstract class LimitState extends Entry {
  /** The time of the newest admission: for this key, time does not go back behind it. */
  long newest;

  /** The limit of the latest request: says how the state is to be read. */
  Limit limit;

  LimitState(Limit limit) {
    this.limit = limit;
  }

  static LimitState blank(Limit limit) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> new SlidingLogState(limit);
      case SLIDING_COUNTER -> new SlidingCounterState(limit);
      case FIXED_WINDOW -> new FixedWindowState(limit);
      case TOKEN_BUCKET -> new TokenBucketState(limit);
    };
  }

  /** Writes this state, so that {@link #load} returns an equal one. */
  final void save(DataOutputStream out) throws IOException {
    out.writeUTF(limit.toString());
    out.writeLong(newest);
    saveCharges(out);
  }

  /** Reads what {@link #save} wrote. */
  static LimitState load(DataInputStream in) throws IOException {
    LimitState state = blank(Limit.parse(in.readUTF()));
    state.newest = in.readLong();
    state.loadCharges(in);
    return state;
  }

  abstract void saveCharges(DataOutputStream out) throws IOException;

  abstract void loadCharges(DataInputStream in) throws IOException;

  /** Returns the permits charged at that time. */
  abstract long used(long now);

  /** Returns the least wait until at most {@code target} permits are charged, if nobody spends. */
  final long until(long now, long target) {
    return used(now) <= target ? 0 : untilDownTo(now, target);
  }

  /** As {@link #until}, if more than {@code target} permits are charged now. */
  abstract long untilDownTo(long now, long target);

  /** Returns the least wait until nothing is charged, if nobody spends. */
  long resetAfter(long now) {
    return until(now, 0);
  }

  /**
   * Makes room for a charge, before {@link #charge} is called.
   *
   * @return false if there is no memory for it
   */
  boolean makeRoom(long now, long permits, MemoryBudget memory) {
    return true;
  }

  /** Charges 1 or more permits, and makes {@code now} the newest time. */
  abstract void charge(long now, long permits);

  /** Gives back up to that many of the newest permits; some are charged. */
  abstract void giveBack(long now, long permits);

  /** Returns the number of records in which the permits are kept. */
  int records(long now) {
    return used(now) > 0 ? 1 : 0;
  }

  /** Returns the bytes beyond the object itself. */
  long recordBytes() {
    return 0;
  }

  /** Puts a limit in force that differs in permits at most. */
  @SuppressWarnings("ReferenceEquality") // an equal one changes nothing
  final void putInForce(Limit changed, long clockMicros) {
    if (limit != changed) {
      beforeChange(changed, Math.max(clockMicros, newest));
      limit = changed;
    }
  }

  /** Called when permits are about to change: for what depends on them already. */
  void beforeChange(Limit changed, long now) {}

  @Override
  int acquire(long clockMicros, long permits, MemoryBudget memory, Outcome outcome) {
    long now = Math.max(clockMicros, newest);
    long capacity = limit.capacity();
    long used = used(now);
    long room = capacity - used;
    if (permits <= room) {
      if (!makeRoom(now, permits, memory)) {
        return -1;
      }
      charge(now, permits);
      outcome.set(used + permits, room - permits, 0, untilDownTo(now, 0));
    } else {
      long retryAfter = permits > capacity ? Long.MAX_VALUE : untilDownTo(now, capacity - permits);
      long resetAfter = used > 0 ? untilDownTo(now, 0) : 0;
      outcome.set(used, Math.max(0, room), retryAfter, resetAfter);
    }
    return 0;
  }

  @Override
  final boolean isIdle(long clockMicros) {
    return used(Math.max(clockMicros, newest)) == 0;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // an equal one is found to share the state
  final boolean isFor(ResolvedLimits limits) {
    return limit == limits.only();
  }

  @Override
  final @Nullable LimitState stateFor(Limit other) {
    return limit.sharesStateWith(other) ? this : null;
  }

  @Override
  final List<LimitState> states() {
    return List.of(this);
  }

  @Override
  final long trim(long clockMicros) {
    return 0;
  }

  @Override
  final long bytes() {
    return MemoryBudget.ENTRY_BYTES + recordBytes();
  }
}
