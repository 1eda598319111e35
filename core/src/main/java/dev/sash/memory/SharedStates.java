package dev.sash.memory;

import dev.sash.Algorithm;
import dev.sash.Limit;
import dev.sash.store.ResolvedLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What keys of one {@link Segment} have spent together while the store had no room for them, one
 * state for each kind of limit.
 *
 * <p>A key may have spent here and get an entry of its own later. What is charged here then counts
 * as if that key had spent all of it, for one window: after that, no true window holds both what
 * was spent here and what the key spends then. Nothing is charged here once there is room, so that
 * is over one window after the last overflow.
 *
 * <p>Not thread-safe: the segment's lock guards it.
 */
final class SharedStates {
  /** A log with more permits is kept in cells: the store is full, and its bound should hold. */
  private static final int MOST_RECORDS = 1_024;

  private static final int CELLS = 128;

  /** More kinds than anybody configures; requests of further kinds are denied. */
  private static final int MOST_KINDS = 16;

  /** What is charged under limits of one kind. */
  private record Shared(Limit kind, LimitState state) {}

  private final byte epoch;
  private final List<Shared> all = new ArrayList<>();

  SharedStates(byte epoch) {
    this.epoch = epoch;
  }

  /** Returns a number that tells this overflow from the ones before, never 0. */
  byte epoch() {
    return epoch;
  }

  /** Forgets what ended a window ago, and returns whether anything is left. */
  boolean isCharged(long clockMicros) {
    all.removeIf(
        shared ->
            clockMicros - shared.state.newest >= shared.kind.windowMicros()
                || shared.state.isIdle(clockMicros));
    return !all.isEmpty();
  }

  /** Returns the states for these limits, null for those to which nothing is charged. */
  @Nullable LimitState[] find(ResolvedLimits limits) {
    @Nullable LimitState[] found = new @Nullable LimitState[limits.limits().size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = stateFor(limits.limits().get(i));
    }
    return found;
  }

  /**
   * Returns the states for these limits, created if need be.
   *
   * @return null if there are too many kinds already
   */
  LimitState @Nullable [] findOrCreate(ResolvedLimits limits, long clockMicros) {
    LimitState[] found = new LimitState[limits.limits().size()];
    for (int i = 0; i < found.length; i++) {
      Limit limit = limits.limits().get(i);
      LimitState state = stateFor(limit);
      if (state == null) {
        if (all.size() == MOST_KINDS) {
          return null;
        }
        state = LimitState.blank(shared(limit));
        all.add(new Shared(limit, state));
      }
      state.putInForce(shared(limit), clockMicros);
      found[i] = state;
    }
    return found;
  }

  private @Nullable LimitState stateFor(Limit limit) {
    for (Shared shared : all) {
      if (shared.kind.sharesStateWith(limit) && shared.state.limit.sharesStateWith(shared(limit))) {
        return shared.state;
      }
    }
    return null;
  }

  /**
   * Returns the limit to count by. Of a token bucket that is a log of its capacity: two buckets, a
   * shared one and that of the key, would refill twice as fast as one.
   */
  private static Limit shared(Limit limit) {
    Limit shared =
        limit.algorithm() == Algorithm.TOKEN_BUCKET
            ? Limit.slidingLog(limit.capacity(), limit.window())
            : limit;
    boolean isLong =
        shared.algorithm() == Algorithm.SLIDING_LOG
            && (shared.cells() == 0 ? shared.permits() : shared.cells()) > MOST_RECORDS;
    return isLong ? shared.withCells(CELLS) : shared;
  }
}
