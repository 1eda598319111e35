package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.store.Decisions;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a request by the states of its limits: all are charged, or none. Each limit may
 * have a second state, {@linkplain SharedStates shared} with other keys, whose permits count as if
 * they were this key's.
 */
final class LimitRule {
  private final LimitState[] states;
  private final @Nullable LimitState[] shared;
  private final long now;

  private LimitRule(LimitState[] states, @Nullable LimitState[] shared, long now) {
    this.states = states;
    this.shared = shared;
    this.now = now;
  }

  /**
   * Returns the rule for a request.
   *
   * @param states one for each limit
   * @param shared the shared states, null for limits without; an empty array if none has one
   */
  static LimitRule of(LimitState[] states, @Nullable LimitState[] shared, long clockMicros) {
    long now = Math.max(0, clockMicros);
    for (LimitState state : states) {
      now = Math.max(now, state.newest);
    }
    for (LimitState state : shared) {
      now = state == null ? now : Math.max(now, state.newest);
    }
    return new LimitRule(states, shared, now);
  }

  /** Returns the time of the request, which is not before the newest of any state. */
  long now() {
    return now;
  }

  boolean fits(long permits) {
    for (int i = 0; i < states.length; i++) {
      if (used(i, now) + permits > states[i].limit.capacity()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the permits that the limit can still be charged at all. */
  long chargeable(int i) {
    return Math.max(0, Decisions.MAX_USED - used(i, now));
  }

  /** Returns the decision as of {@link #decide}. */
  Decision decision(long permits, Source source) {
    Outcome outcome = new Outcome();
    Limit limit = states[decide(permits, outcome)].limit;
    return outcome.retryAfter == 0
        ? Decisions.allowed(limit, outcome.used, outcome.remaining, outcome.resetAfter, source)
        : Decisions.denied(
            limit, outcome.used, outcome.remaining, outcome.retryAfter, outcome.resetAfter, source);
  }

  /**
   * Decides about a request that was charged already if it fits, or else was not.
   *
   * @param permits what did not fit; 0 if the request was charged, and to peek
   * @param outcome receives the numbers of the decision
   * @return which of the limits decided
   */
  int decide(long permits, Outcome outcome) {
    int nearest = 0;
    int longest = -1;
    long remaining = Long.MAX_VALUE;
    long retryAfter = 0;
    long resetAfter = 0;
    for (int i = 0; i < states.length; i++) {
      long capacity = states[i].limit.capacity();
      long room = Math.max(0, capacity - used(i, now));
      if (room < remaining) {
        nearest = i;
        remaining = room;
      }
      long wait = permits > capacity ? Long.MAX_VALUE : until(i, capacity - permits);
      if (wait > retryAfter) {
        longest = i;
        retryAfter = wait;
      }
      resetAfter = Math.max(resetAfter, until(i, 0));
    }
    int decider = longest < 0 ? nearest : longest;
    long used = Math.min(Decisions.MAX_USED, used(decider, now));
    outcome.set(used, remaining, retryAfter, resetAfter);
    return decider;
  }

  private @Nullable LimitState shared(int i) {
    return shared.length == 0 ? null : shared[i];
  }

  private long used(int i, long time) {
    LimitState other = shared(i);
    long own = states[i].used(time);
    return other == null || endOf(other) <= time ? own : own + other.used(time);
  }

  /** What was shared counts for one window. */
  private static long endOf(LimitState shared) {
    return shared.newest + shared.limit.windowMicros();
  }

  private long until(int i, long target) {
    LimitState other = shared(i);
    if (other == null) {
      return target == 0 ? states[i].resetAfter(now) : states[i].until(now, target);
    }
    if (used(i, now) <= target) {
      return 0;
    }
    // Both only fall, and are on their own below the target by then.
    long tooShort = 0;
    long longEnough =
        Math.max(states[i].resetAfter(now), Math.min(other.resetAfter(now), endOf(other) - now));
    while (longEnough - tooShort > 1) {
      long middle = tooShort + (longEnough - tooShort) / 2;
      if (used(i, now + middle) <= target) {
        longEnough = middle;
      } else {
        tooShort = middle;
      }
    }
    return longEnough;
  }
}
