package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.internal.Bounds;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Random requests to two stores, the same to both, up to a denied one. Then one of them is asked
 * again after the time that the denial named, and its twin one tick too early.
 */
final class Promises {
  private static final int KEYS = 20;
  private static final int LONGEST_HISTORY = 15;
  private static final long LATEST = 1L << 52;

  /** How often the cases that matter came up. */
  static final class Tally {
    int retries;
    int retriesOfSeveral;
    int resets;

    /** For single limits: how many waits ended in the window they began in, and in later ones. */
    final int[] endsInWindow = new int[3];
  }

  private record Request(Operation operation, ResolvedLimits limits, String key, long permits) {
    Decision on(Store store) {
      return store.decide(operation, limits, key, permits);
    }

    @Override
    public String toString() {
      return operation + " " + permits + " of " + key + " under " + limits.limits();
    }
  }

  private record Event(long time, boolean onTwinAlone, Request request, Decision decision) {
    @Override
    public String toString() {
      return "at " + time + (onTwinAlone ? " twin " : " ") + request + " -> " + decision;
    }
  }

  private final Tally tally;
  private final Draw draw;
  private final ManualClock clock;
  private final ManualClock twinClock;
  private final Store store;
  private final Store twin;
  private final List<Event> history = new ArrayList<>();
  private final int haste;
  private ResolvedLimits limits;
  private long now;

  Promises(Family family, long seed, Function<ManualClock, Store> newStore, Tally tally) {
    this.tally = tally;
    draw = new Draw(seed);
    haste = 1 << draw.below(3);
    now = Math.max(0, draw.start());
    limits = resolved(draw.limits(family, List.of()));
    clock = new ManualClock(now);
    twinClock = new ManualClock(now);
    store = newStore.apply(clock);
    twin = newStore.apply(twinClock);
  }

  private static ResolvedLimits resolved(List<Limit> limits) {
    return new ResolvedLimits(Policy.named("promises").withLimits(limits), limits);
  }

  private long most() {
    return limits.lowest().capacity();
  }

  /** Follows up one denied request of each key, if there is one. */
  void check() {
    for (int i = 0; i < KEYS && now < LATEST / 2; i++) {
      String key = "key" + i;
      history.clear();
      Decision last = decideSomething(key);
      if (last.remaining() < most()) {
        checkDenial(key, tooMany(last.remaining(), most()));
      }
    }
  }

  private Decision decideSomething(String key) {
    Decision last = both(request(Operation.PEEK, key, 0));
    for (long left = draw.below(LONGEST_HISTORY); left >= 0; left--) {
      Limit limit = draw.oneOf(limits.limits());
      moveTo(draw.oneIn(haste) ? draw.laterThan(now, limit, last) : draw.soonAfter(now, limit));
      both(anyRequest(key, limit, last));
      last = both(request(Operation.PEEK, key, 0));
    }
    return last;
  }

  private Request anyRequest(String key, Limit limit, Decision last) {
    long permits = draw.cost(limit, last);
    return switch ((int) draw.below(32)) {
      case 0 -> {
        limits = resolved(limits.limits().stream().map(draw::otherPermits).toList());
        yield request(Operation.PEEK, key, 0);
      }
      case 1, 2 -> request(Operation.REFUND, key, permits);
      case 3 -> request(Operation.CHARGE, key, permits);
      default -> request(Operation.ACQUIRE, key, permits);
    };
  }

  private Request request(Operation operation, String key, long permits) {
    return new Request(operation, limits, key, permits);
  }

  private long tooMany(long remaining, long most) {
    return switch ((int) draw.below(4)) {
      case 0 -> most;
      case 1 -> remaining + 1;
      default -> remaining + 1 + draw.below(most - remaining);
    };
  }

  private void checkDenial(String key, long permits) {
    Request request = request(Operation.ACQUIRE, key, permits);
    Decision denied = both(request);
    require(!denied.allowed() && !denied.neverAllowed(), "denied, not for ever", denied);
    long retryAt = now + Bounds.microsCeil(denied.retryAfter());
    long resetAt = now + Bounds.microsCeil(denied.resetAfter());
    require(resetAt >= retryAt, "the reset is not before the retry", denied);
    if (retryAt > LATEST) {
      return;
    }
    Decision early = at(retryAt - 1, twinClock, request, twin);
    require(!early.allowed(), "denied one tick too early", early);
    require(Bounds.microsCeil(early.retryAfter()) == 1, "one tick is left", early);
    Decision onTime = at(retryAt, clock, request, store);
    require(onTime.allowed(), "allowed on time", onTime);
    count(permits, retryAt);
    if (resetAt <= LATEST) {
      checkReset(key, resetAt);
    }
    moveTo(Math.max(retryAt, Math.min(resetAt, LATEST)));
  }

  /** On the twin, which has not been charged since. */
  private void checkReset(String key, long resetAt) {
    Request peek = request(Operation.PEEK, key, 0);
    Decision early = at(resetAt - 1, twinClock, peek, twin);
    // With several limits the one that decides need not be the one that is charged for longest.
    require(limits.only() == null || early.used() > 0, "something charged a tick early", early);
    require(Bounds.microsCeil(early.resetAfter()) == 1, "one tick is left", early);
    Decision onTime = at(resetAt, twinClock, peek, twin);
    require(onTime.used() == 0 && onTime.resetAfter().isZero(), "nothing charged", onTime);
    Decision full = at(resetAt, twinClock, request(Operation.ACQUIRE, key, most()), twin);
    require(full.allowed(), "the whole limit is there", full);
    tally.resets++;
  }

  private void count(long permits, long retryAt) {
    tally.retries++;
    tally.retriesOfSeveral += permits > 1 ? 1 : 0;
    Limit only = limits.only();
    if (only != null) {
      long window = only.windowMicros();
      tally.endsInWindow[(int) Math.min(2, retryAt / window - now / window)]++;
    }
  }

  private void moveTo(long time) {
    if (time <= LATEST) {
      now = time;
      clock.setMicros(time);
      twinClock.setMicros(time);
    }
  }

  private Decision both(Request request) {
    Decision decision = request.on(store);
    Decision other = request.on(twin);
    history.add(new Event(now, false, request, decision));
    require(decision.equals(other), "the twins decide alike", other);
    return decision;
  }

  private Decision at(long time, ManualClock clockOfAsked, Request request, Store asked) {
    clockOfAsked.setMicros(time);
    Decision decision = request.on(asked);
    history.add(new Event(time, asked == twin, request, decision));
    return decision;
  }

  private static void require(boolean kept, String promise, Decision decision) {
    if (!kept) {
      throw new AssertionError("a promise was broken: " + promise + ", but was " + decision);
    }
  }

  /** Returns the limits and the requests of the key: what to print when a test fails. */
  @Override
  public String toString() {
    return limits
        + ", history:\n"
        + history.stream().map(Event::toString).collect(Collectors.joining("\n"));
  }
}
