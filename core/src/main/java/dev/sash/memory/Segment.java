package dev.sash.memory;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.internal.DecisionMaker;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.Releases;
import dev.sash.store.ResolvedLimits;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys of a {@link KeyTable} under one lock, and the decisions about them.
 *
 * <p><b>Full.</b> Keys and bytes are bounded for the whole table and store, not for a segment: a
 * caller who chooses keys cannot fill the segment of another key. A live key is never dropped. When
 * there is no room, keys that are not held, and held ones that need another record, spend from
 * {@link SharedStates}.
 */
final class Segment extends EntryTable {
  private static final @Nullable LimitState[] NONE_SHARED = {};

  private static final DecisionMaker MAKER = DecisionMaker.get();

  private final Outcome outcome = new Outcome();

  /** What keys without room have spent, while it may count for anybody. */
  private @Nullable SharedStates shared;

  private byte epoch;

  Segment(KeyTable keys, MemoryBudget memory) {
    super(keys, memory);
  }

  Decision decide(
      Operation operation,
      String key,
      int hash,
      ResolvedLimits limits,
      long clockMicros,
      long permits) {
    lock();
    try {
      return decide(operation, find(key, hash), key, hash, limits, clockMicros, permits);
    } finally {
      unlock();
    }
  }

  /** Decides for a handle, which remembers its entry. */
  Decision decide(
      Operation operation, HeldKey held, ResolvedLimits limits, long clockMicros, long permits) {
    lock();
    try {
      Entry entry = held.entry;
      if (entry == null || entry.key == null) {
        entry = find(held.key, held.hash);
        held.entry = entry;
      }
      return decide(operation, entry, held.key, held.hash, limits, clockMicros, permits);
    } finally {
      unlock();
    }
  }

  /**
   * Writes some entries: the policy, the key and its states.
   *
   * @param entries of this segment; those that are not held any more are passed over
   */
  void save(List<Entry> entries, DataOutputStream out) throws IOException {
    lock();
    try {
      for (Entry entry : entries) {
        if (entry.key != null) {
          out.writeUTF(keys.policy());
          out.writeUTF(entry.key);
          out.writeByte(entry.states().size());
          for (LimitState state : entry.states()) {
            state.save(out);
          }
        }
      }
    } finally {
      unlock();
    }
  }

  /** Adds a key with its states. Returns false if the key is held, or there is no room. */
  boolean restore(String key, int hash, LimitState[] states) {
    lock();
    try {
      Entry entry = states.length == 1 ? states[0] : new SeveralLimits(states, List.of(), states);
      return find(key, hash) == null && add(entry, key, hash, (byte) 0);
    } finally {
      unlock();
    }
  }

  /** Creates the decision in one place; see {@link Outcome}. */
  private Decision decide(
      Operation operation,
      @Nullable Entry entry,
      String key,
      int hash,
      ResolvedLimits limits,
      long clockMicros,
      long permits) {
    Outcome numbers = outcome;
    int decider =
        operation == Operation.ACQUIRE
                && permits > 0
                && entry != null
                && entry.isFor(limits)
                && (shared == null || entry.overflow() != shared.epoch())
            ? entry.acquire(clockMicros, permits, memory, numbers)
            : -1;
    Limit decidedBy;
    Source source = Source.STORE;
    List<LimitUsage> usages = List.of();
    if (decider >= 0) {
      Limit only = limits.only();
      decidedBy = only == null ? limits.limits().get(decider) : only;
    } else {
      Decision unusual = decideUnusual(operation, entry, key, hash, limits, clockMicros, permits);
      decidedBy = unusual.decidedBy();
      source = unusual.source();
      usages = unusual.usages();
    }
    return MAKER.make(
        decidedBy,
        numbers.used,
        numbers.remaining,
        numbers.retryAfter,
        numbers.resetAfter,
        source,
        usages);
  }

  private Decision decideUnusual(
      Operation operation,
      @Nullable Entry entry,
      String key,
      int hash,
      ResolvedLimits limits,
      long clockMicros,
      long permits) {
    Decision decision =
        new Request(entry, key, hash, limits, clockMicros).perform(operation, permits);
    outcome.set(
        decision.used(),
        decision.remaining(),
        decision.retryAfterMicros(),
        decision.resetAfterMicros());
    return decision;
  }

  /** One request that is not the usual one. */
  private final class Request {
    private @Nullable Entry entry;
    private final String key;
    private final int hash;
    private final ResolvedLimits limits;
    private final long clockMicros;

    /** The states of the limits; those that the entry does not hold are blank. */
    private final LimitState[] states;

    /** What may have been spent by this key beyond its own states. */
    private @Nullable LimitState[] sharedStates = NONE_SHARED;

    Request(@Nullable Entry entry, String key, int hash, ResolvedLimits limits, long clockMicros) {
      this.entry = entry;
      this.key = key;
      this.hash = hash;
      this.limits = limits;
      this.clockMicros = clockMicros;
      this.states = new LimitState[limits.limits().size()];
      if (entry instanceof SeveralLimits several && !several.isFor(limits)) {
        several.forgetLimitsInUse();
      }
      long now = clockMicros;
      for (int i = 0; i < states.length; i++) {
        Limit limit = limits.limits().get(i);
        LimitState found = entry == null ? null : entry.stateFor(limit);
        states[i] = found == null ? LimitState.blank(limit) : found;
        now = Math.max(now, states[i].newest);
      }
      for (int i = 0; i < states.length; i++) {
        states[i].putInForce(limits.limits().get(i), now);
      }
      if (shared != null && !shared.isCharged(clockMicros)) {
        shared = null;
      }
      if (shared != null && (entry == null || entry.overflow() == shared.epoch())) {
        sharedStates = shared.find(limits);
      }
    }

    Decision perform(Operation operation, long permits) {
      return switch (operation) {
        case ACQUIRE -> permits > 0 ? acquire(permits) : peek();
        case PEEK, REFUND_LOCAL -> peek();
        case REFUND -> refund(permits);
        case CHARGE -> charge(permits);
        case RESET -> reset();
        case INSPECT -> inspect(permits);
      };
    }

    private LimitRule rule() {
      return LimitRule.of(states, sharedStates, clockMicros);
    }

    private Source source() {
      for (LimitState state : sharedStates) {
        if (state != null) {
          return Source.OVERFLOW;
        }
      }
      return Source.STORE;
    }

    private Decision peek() {
      return rule().decision(0, source());
    }

    private Decision acquire(long permits) {
      LimitRule rule = rule();
      if (!rule.fits(permits)) {
        return rule.decision(permits, source());
      }
      if (chargeOwn(rule, permits)) {
        return rule.decision(0, source());
      }
      LimitState[] others = chargeableShared();
      if (others == null) {
        return Decisions.denied(
            limits.lowest(),
            0,
            0,
            limits.lowest().windowMicros(),
            limits.lowest().windowMicros(),
            Source.OVERFLOW);
      }
      rule = rule();
      if (!rule.fits(permits)) {
        return rule.decision(permits, Source.OVERFLOW);
      }
      chargeAll(others, rule.now(), permits);
      return rule.decision(0, Source.OVERFLOW);
    }

    private Decision charge(long permits) {
      LimitRule rule = rule();
      long most = permits;
      for (int i = 0; i < states.length; i++) {
        most = Math.min(most, rule.chargeable(i));
      }
      if (most > 0 && !chargeOwn(rule, most)) {
        LimitState[] others = chargeableShared();
        if (others != null) {
          rule = rule();
          chargeAll(others, rule.now(), most);
        }
      }
      return rule.decision(0, source());
    }

    /** Charges the key's own states, if there is room for that. */
    private boolean chargeOwn(LimitRule rule, long permits) {
      if (!isHeld() && !hold()) {
        return false;
      }
      for (LimitState state : states) {
        if (!state.makeRoom(rule.now(), permits, memory)) {
          return false;
        }
      }
      for (LimitState state : states) {
        state.charge(rule.now(), permits);
      }
      if (entry instanceof SeveralLimits several) {
        several.use(several.held(), limits.limits(), states); // the next request is a usual one
      }
      return true;
    }

    private boolean isHeld() {
      for (LimitState state : states) {
        if (entry == null || entry.stateFor(state.limit) != state) {
          return false;
        }
      }
      return true;
    }

    /** Puts the states into the table. Returns false if there is no room. */
    private boolean hold() {
      if (entry == null) {
        makeRoom(clockMicros);
        Entry added =
            states.length == 1
                ? states[0]
                : new SeveralLimits(states.clone(), limits.limits(), states);
        boolean isAdded = add(added, key, hash, sharedStates.length > 0 ? epoch : 0);
        entry = isAdded ? added : null;
        return isAdded;
      }
      List<LimitState> all = new ArrayList<>();
      if (entry instanceof SeveralLimits several) {
        memory.release(several.trim(clockMicros));
        all.addAll(List.of(several.held()));
      } else {
        all.add((LimitState) entry);
      }
      long more = entry instanceof SeveralLimits ? 0 : MemoryBudget.ENTRY_BYTES;
      for (LimitState state : states) {
        if (!all.contains(state)) {
          all.add(state);
          more += state.bytes();
        }
      }
      if (!memory.tryReserve(more)) {
        return false;
      }
      LimitState[] held = all.toArray(LimitState[]::new);
      if (entry instanceof SeveralLimits several) {
        several.use(held, limits.limits(), states);
      } else {
        Entry several = new SeveralLimits(held, limits.limits(), states);
        several.key = entry.key;
        several.hash(entry.hash());
        several.next = entry.next;
        several.overflow(entry.overflow());
        replace(entry, several);
        entry = several;
      }
      return true;
    }

    /** The shared states to charge, or null if there are too many. Their permits count from now. */
    private LimitState @Nullable [] chargeableShared() {
      if (shared == null) {
        epoch = (byte) (epoch % Byte.MAX_VALUE + 1);
        shared = new SharedStates(epoch);
        keys.onFull();
      }
      if (entry != null) {
        entry.overflow(shared.epoch());
      }
      LimitState[] others = shared.findOrCreate(limits, clockMicros);
      if (others != null) {
        sharedStates = others;
      }
      return others;
    }

    /** Charges what the key holds and has room for there, and the shared states otherwise. */
    private void chargeAll(LimitState[] others, long now, long permits) {
      boolean held = isHeld();
      for (int i = 0; i < others.length; i++) {
        LimitState state = states[i];
        if (!held || !state.makeRoom(now, permits, memory)) {
          state = others[i];
          // Small: its bytes are not counted, so that it can always be charged.
          state.makeRoom(now, permits, KeyTable.UNBOUNDED);
        }
        state.charge(now, permits);
      }
    }

    /** What a key may have spent together with others is not given back: others would get it. */
    private Decision refund(long permits) {
      long now = rule().now();
      for (LimitState state : states) {
        if (permits > 0 && state.used(now) > 0) {
          state.giveBack(now, permits);
        }
      }
      return peek();
    }

    private Decision reset() {
      Entry held = entry;
      if (held instanceof SeveralLimits several && !isAllOf(several)) {
        List<LimitState> others = new ArrayList<>(List.of(several.held()));
        for (LimitState state : states) {
          if (others.remove(state)) {
            memory.release(state.bytes());
          }
        }
        several.use(others.toArray(LimitState[]::new), List.of(), states);
      } else if (held != null && holdsAnyOf(held)) {
        drop(held);
      }
      for (int i = 0; i < states.length; i++) {
        states[i] = LimitState.blank(states[i].limit);
      }
      return peek();
    }

    private boolean holdsAnyOf(Entry held) {
      return held instanceof SeveralLimits || List.of(states).contains((LimitState) held);
    }

    private boolean isAllOf(SeveralLimits several) {
      for (LimitState held : several.held()) {
        if (!List.of(states).contains(held)) {
          return false;
        }
      }
      return true;
    }

    private Decision inspect(long permits) {
      LimitRule rule = rule();
      long now = rule.now();
      List<LimitUsage> usages = new ArrayList<>();
      for (LimitState state : states) {
        long used = state.used(now);
        usages.add(
            new LimitUsage(
                state.limit,
                used,
                state.records(now),
                Duration.ZERO,
                Releases.of(used, step -> state.until(now, Releases.left(used, step)))));
      }
      return Decisions.withUsages(rule.decision(permits, source()), usages);
    }
  }
}
