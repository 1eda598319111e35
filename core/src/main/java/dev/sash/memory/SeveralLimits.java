package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The states of several limits on one key: all are charged, or none. */
final class SeveralLimits extends Entry {
  private List<Limit> limits;
  private final LimitState[] states;

  SeveralLimits(List<Limit> limits, long floor) {
    this.limits = limits;
    this.states = new LimitState[limits.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = LimitState.blank(limits.get(i), floor);
    }
  }

  @Override
  Decision decide(long clockMicros, long permits, Source source) {
    long now = Math.max(clockMicros, newest());
    LimitState longest = null;
    long retryAfter = 0;
    for (LimitState state : states) {
      long wait = retryAfter(state, now, permits);
      if (wait > retryAfter) {
        longest = state;
        retryAfter = wait;
      }
    }
    if (longest == null && permits > 0) {
      for (LimitState state : states) {
        state.charge(now, permits);
      }
    }
    LimitState nearest = states[0];
    long remaining = Long.MAX_VALUE;
    long resetAfter = 0;
    for (LimitState state : states) {
      long room = Math.max(0, state.limit.capacity() - state.used(now));
      if (room < remaining) {
        nearest = state;
        remaining = room;
      }
      resetAfter = Math.max(resetAfter, state.resetAfter(now));
    }
    if (longest == null) {
      return Decision.allowed(nearest.limit, nearest.used(now), remaining, resetAfter, source);
    }
    long used = longest.used(now);
    return retryAfter == Long.MAX_VALUE
        ? Decision.impossible(longest.limit, used, remaining, resetAfter, source)
        : Decision.denied(longest.limit, used, remaining, retryAfter, resetAfter, source);
  }

  /** How long the request must wait for that limit; {@link Long#MAX_VALUE} is for ever. */
  private static long retryAfter(LimitState state, long now, long permits) {
    long target = state.limit.capacity() - permits;
    return target < 0 ? Long.MAX_VALUE : state.until(now, target);
  }

  @Override
  void refund(long clockMicros, long permits) {
    long now = Math.max(clockMicros, newest());
    for (LimitState state : states) {
      state.refund(now, permits);
    }
  }

  @Override
  boolean isIdle(long clockMicros) {
    for (LimitState state : states) {
      if (!state.isIdle(clockMicros)) {
        return false;
      }
    }
    return true;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equal ones are found to share the states
  boolean isFor(@Nullable Limit only, List<Limit> others) {
    return limits == others;
  }

  @Override
  @Nullable LimitState stateFor(Limit limit) {
    for (LimitState state : states) {
      if (state.limit.sharesStateWith(limit)) {
        return state;
      }
    }
    return null;
  }

  @Override
  void take(List<Limit> changed, Entry former) {
    limits = changed;
    for (int i = 0; i < states.length; i++) {
      LimitState kept = former.stateFor(changed.get(i));
      if (kept != null) {
        kept.limit = changed.get(i);
        states[i] = kept;
      }
    }
  }

  /** One time for all states: a limit that is new to the key may have seen less than another. */
  @Override
  long newest() {
    long newest = 0;
    for (LimitState state : states) {
      newest = Math.max(newest, state.newest);
    }
    return newest;
  }
}
