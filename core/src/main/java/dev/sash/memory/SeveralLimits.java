package dev.sash.memory;

import dev.sash.Limit;
import dev.sash.store.ResolvedLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states of a key under several kinds of limits: those of one policy that hold together, of
 * several tiers, or that came with requests.
 */
final class SeveralLimits extends Entry {
  private static final @Nullable LimitState[] NONE_SHARED = {};

  /** All states of the key, at most one of each kind. */
  private LimitState[] held;

  /** The limits of the latest request that charged something, and their states. */
  private List<Limit> limits;

  private LimitState[] inUse;

  /**
   * Creates an entry.
   *
   * @param held all states of the key
   * @param limits the limits in use
   * @param inUse their states, in their order
   */
  SeveralLimits(LimitState[] held, List<Limit> limits, LimitState[] inUse) {
    this.held = held;
    this.limits = limits;
    this.inUse = inUse;
  }

  /** Takes over states of other limits. */
  void use(LimitState[] allHeld, List<Limit> changed, LimitState[] states) {
    held = allHeld;
    limits = changed;
    inUse = states;
  }

  LimitState[] held() {
    return held;
  }

  @Override
  int acquire(long clockMicros, long permits, MemoryBudget memory, Outcome outcome) {
    LimitRule rule = LimitRule.of(inUse, NONE_SHARED, clockMicros);
    if (!rule.fits(permits)) {
      return rule.decide(permits, outcome);
    }
    for (LimitState state : inUse) {
      if (!state.makeRoom(rule.now(), permits, memory)) {
        return -1;
      }
    }
    for (LimitState state : inUse) {
      state.charge(rule.now(), permits);
    }
    return rule.decide(0, outcome);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equal ones are found to share the states
  boolean isFor(ResolvedLimits other) {
    return limits == other.limits();
  }

  /** Called before another limit is put in force: these limits are not those in use any more. */
  void forgetLimitsInUse() {
    limits = List.of();
  }

  @Override
  @Nullable LimitState stateFor(Limit limit) {
    for (LimitState state : held) {
      if (state.limit.sharesStateWith(limit)) {
        return state;
      }
    }
    return null;
  }

  @Override
  boolean isIdle(long clockMicros) {
    for (LimitState state : held) {
      if (!state.isIdle(clockMicros)) {
        return false;
      }
    }
    return true;
  }

  @Override
  List<LimitState> states() {
    return List.of(held);
  }

  @Override
  long trim(long clockMicros) {
    List<LimitState> live = new ArrayList<>();
    long freed = 0;
    for (LimitState state : held) {
      if (state.isIdle(clockMicros)) {
        freed += state.bytes();
      } else {
        live.add(state);
      }
    }
    if (freed > 0 && !live.isEmpty()) {
      use(live.toArray(LimitState[]::new), List.of(), inUse);
      return freed;
    }
    return 0;
  }

  @Override
  long bytes() {
    long bytes = MemoryBudget.ENTRY_BYTES;
    for (LimitState state : held) {
      bytes += state.bytes();
    }
    return bytes;
  }
}
