package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.internal.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Random histories on two limiters that live through the same, up to a denied request. Then one of
 * them is asked again as soon as it promised, and its twin one tick too early.
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

  private record Event(
      long time, boolean onTwinAlone, Operation operation, @Nullable Decision decision) {
    @Override
    public String toString() {
      return "at " + time + (onTwinAlone ? " twin " : " ") + operation + " -> " + decision;
    }
  }

  private final Tally tally;
  private final Draw draw;
  private final ManualClock clock;
  private final ManualClock twinClock;
  private final RateLimiter limiter;
  private final RateLimiter twin;
  private final List<Event> history = new ArrayList<>();
  private final int haste;
  private List<Limit> limits;
  private long now;

  Promises(
      Family family,
      long seed,
      BiFunction<Policy, ManualClock, RateLimiter> newLimiter,
      Tally tally) {
    this.tally = tally;
    draw = new Draw(seed);
    haste = 1 << draw.below(3);
    now = Math.max(0, draw.start());
    limits = draw.limits(family, List.of());
    clock = new ManualClock(now);
    twinClock = new ManualClock(now);
    limiter = newLimiter.apply(policy(), clock);
    twin = newLimiter.apply(policy(), twinClock);
  }

  private Policy policy() {
    return Policy.named("promises").limits(limits);
  }

  /** Follows up one denied request of each key, if there is one. */
  void check() {
    for (int i = 0; i < KEYS && now < LATEST / 2; i++) {
      String key = "key" + i;
      history.clear();
      Decision last = liveThroughSomething(key);
      long most = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
      if (last.remaining() < most) {
        checkDenial(key, tooMany(last.remaining(), most));
      }
    }
  }

  private Decision liveThroughSomething(String key) {
    Decision last = both(new Operation.Acquire(key, 0));
    for (long left = draw.below(LONGEST_HISTORY); left >= 0; left--) {
      Limit limit = draw.oneOf(limits);
      moveTo(draw.oneIn(haste) ? draw.laterThan(now, limit, last) : draw.soonAfter(now, limit));
      both(somethingFor(key, limit, last));
      last = both(new Operation.Acquire(key, 0));
    }
    return last;
  }

  private Operation somethingFor(String key, Limit limit, Decision last) {
    return switch ((int) draw.below(32)) {
      case 0 -> {
        limits = limits.stream().map(other -> draw.otherPermits(other, true)).toList();
        yield new Operation.Change(policy());
      }
      case 1, 2 -> new Operation.Refund(key, draw.cost(limit, last));
      default -> new Operation.Acquire(key, draw.cost(limit, last));
    };
  }

  private long tooMany(long remaining, long most) {
    return switch ((int) draw.below(4)) {
      case 0 -> most;
      case 1 -> remaining + 1;
      default -> remaining + 1 + draw.below(most - remaining);
    };
  }

  private void checkDenial(String key, long permits) {
    Operation request = new Operation.Acquire(key, permits);
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
    Decision onTime = at(retryAt, clock, request, limiter);
    require(onTime.allowed(), "allowed on time", onTime);
    count(permits, retryAt);
    if (resetAt <= LATEST) {
      checkReset(key, resetAt);
    }
    moveTo(Math.max(retryAt, Math.min(resetAt, LATEST)));
  }

  /** On the twin, which has not been charged since. */
  private void checkReset(String key, long resetAt) {
    Operation peek = new Operation.Acquire(key, 0);
    Decision early = at(resetAt - 1, twinClock, peek, twin);
    // With several limits the one that decides need not be the one that is charged for longest.
    require(limits.size() > 1 || early.used() > 0, "something charged a tick early", early);
    require(Bounds.microsCeil(early.resetAfter()) == 1, "one tick is left", early);
    Decision onTime = at(resetAt, twinClock, peek, twin);
    require(onTime.used() == 0 && onTime.resetAfter().isZero(), "nothing charged", onTime);
    long most = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
    Decision full = at(resetAt, twinClock, new Operation.Acquire(key, most), twin);
    require(full.allowed(), "the whole limit is there", full);
    tally.resets++;
  }

  private void count(long permits, long retryAt) {
    tally.retries++;
    tally.retriesOfSeveral += permits > 1 ? 1 : 0;
    if (limits.size() == 1) {
      long window = limits.get(0).windowMicros();
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

  private Decision both(Operation operation) {
    Decision decision = operation.on(limiter);
    Decision other = operation.on(twin);
    history.add(new Event(now, false, operation, decision));
    require(Objects.equals(decision, other), "the twins decide alike", other);
    return decision == null
        ? at(now, clock, new Operation.Acquire("nobody", 0), limiter)
        : decision;
  }

  private Decision at(long time, ManualClock ofLimiter, Operation operation, RateLimiter asked) {
    ofLimiter.setMicros(time);
    Decision decision = Objects.requireNonNull(operation.on(asked));
    history.add(new Event(time, asked == twin, operation, decision));
    return decision;
  }

  private static void require(boolean kept, String promise, @Nullable Decision decision) {
    if (!kept) {
      throw new AssertionError("a promise was broken: " + promise + ", but was " + decision);
    }
  }

  /** The policy and what the key lived through: what to print when a test fails. */
  @Override
  public String toString() {
    return policy()
        + ", history:\n"
        + history.stream().map(Event::toString).collect(Collectors.joining("\n"));
  }
}
