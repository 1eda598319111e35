package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
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
  /** The time of the newest admission: time does not go back behind it. */
  long newest;

  /** Says how the state is to be read. */
  Limit limit;

  LimitState(Limit limit, long floor) {
    this.limit = limit;
    this.newest = floor;
  }

  static LimitState blank(Limit limit, long floor) {
    return switch (limit.algorithm()) {
      case SLIDING_LOG -> new SlidingLogState(limit, floor);
      case SLIDING_COUNTER -> new SlidingCounterState(limit, floor);
      case FIXED_WINDOW -> new FixedWindowState(limit, floor);
      case TOKEN_BUCKET -> new TokenBucketState(limit, floor);
    };
  }

  /** The permits charged at that time. */
  abstract long used(long now);

  /** The least wait until at most {@code target} permits are charged, if nobody spends. */
  abstract long until(long now, long target);

  /** The least wait until nothing is charged, if nobody spends. */
  long resetAfter(long now) {
    return until(now, 0);
  }

  /** Charges 1 or more permits that fit, and makes {@code now} the newest time. */
  abstract void charge(long now, long permits);

  /** Gives back up to that many of the newest permits; some are charged. */
  abstract void giveBack(long now, long permits);

  @Override
  Decision decide(long clockMicros, long permits, Source source) {
    long now = Math.max(clockMicros, newest);
    long capacity = limit.capacity();
    long used = used(now);
    long room = capacity - used;
    if (permits <= room) {
      if (permits > 0) {
        charge(now, permits);
      }
      return Decision.allowed(limit, used + permits, room - permits, resetAfter(now), source);
    }
    long remaining = Math.max(0, room);
    long resetAfter = resetAfter(now);
    return permits > capacity
        ? Decision.impossible(limit, used, remaining, resetAfter, source)
        : Decision.denied(
            limit, used, remaining, until(now, capacity - permits), resetAfter, source);
  }

  @Override
  final void refund(long clockMicros, long permits) {
    long now = Math.max(clockMicros, newest);
    if (permits > 0 && used(now) > 0) {
      giveBack(now, permits);
    }
  }

  @Override
  final boolean isIdle(long clockMicros) {
    return used(Math.max(clockMicros, newest)) == 0;
  }

  @Override
  final long newest() {
    return newest;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // an equal one is found to share the state
  final boolean isFor(@Nullable Limit only, List<Limit> limits) {
    return limit == only;
  }

  @Override
  final @Nullable LimitState stateFor(Limit other) {
    return limit.sharesStateWith(other) ? this : null;
  }

  @Override
  final void take(List<Limit> limits, Entry former) {
    limit = limits.get(0);
  }
}
