package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A random sequence of operations on a few keys of one policy, each with the time at which to do it
 * and the decision that the {@link Oracle} takes then. The same family, seed and conditions always
 * give the same schedule.
 *
 * <pre>{@code
 * Schedule schedule = new Schedule(Family.SLIDING_LOG, 42, Conditions.ANY);
 * RateLimiter limiter = ...  // of schedule.policy(), on a manual clock
 * schedule.forEachRemaining(step -> {
 *   clock.setMicros(step.clockMicros());
 *   assertThat(step.operation().on(limiter)).as(schedule::toString).isEqualTo(step.expected());
 * });
 * }</pre>
 *
 * <p>It is drawn where mistakes live: limits of 1 and 10⁹ permits, windows from 1 ms to 366 days,
 * many about 2³¹ and 2³² microseconds, times about 0 and the same powers of two and today, and
 * often the very tick at which a window ends or a decision promised something, or a tick beside it.
 * Clocks go backwards, limits change, keys are forgotten. Some schedules keep thousands of records.
 *
 * <p>Where the contract leaves stores a choice, no schedule goes: a limit that was dropped from the
 * policy does not come back, and when limits are dropped the clock does not fall behind the change.
 */
public final class Schedule implements Iterator<Schedule.Step> {
  private static final int REMEMBERED_STEPS = 20;

  private final Family family;
  private final long seed;
  private final Conditions conditions;
  private final Draw draw;
  private final ManualClock clock;
  private final Oracle oracle;
  private final long start;
  private final boolean crowded;
  private final int haste;
  private final int length;
  private final List<String> keys = new ArrayList<>();
  private final Map<String, Decision> lastDecisions = new HashMap<>();
  private final List<Limit> everUsed = new ArrayList<>();
  private final Deque<Step> lastSteps = new ArrayDeque<>();
  private List<Limit> limits;
  private List<Limit> tier = List.of();
  private int steps;
  private long latest;
  private long earliest = Long.MIN_VALUE;

  /**
   * What a store can be asked to bear.
   *
   * @param forgetsIdleKeys whether the store may forget, at any time, a key to which nothing is
   *     charged: then the clock never goes backwards and token buckets never refill more slowly, as
   *     both would bring to light what was forgotten
   * @param latestMicros the end of time for the store's clock
   */
  public record Conditions(boolean forgetsIdleKeys, long latestMicros) {
    /** Nothing is forgotten, and times are whole numbers in a double: below 2⁵². */
    public static final Conditions ANY = new Conditions(false, 1L << 52);
  }

  /**
   * One operation.
   *
   * @param number counts from 1
   * @param clockMicros set the clock to this time first; it may be earlier than before
   * @param operation then do this
   * @param expected what the contract says; null if the operation has no decision
   */
  public record Step(
      int number, long clockMicros, Operation operation, @Nullable Decision expected) {
    @Override
    public String toString() {
      return "#" + number + " at " + clockMicros + " " + operation + " -> " + expected;
    }
  }

  /**
   * A schedule at its beginning.
   *
   * @param family which policies to draw from
   * @param seed any number
   * @param conditions what to spare the store
   */
  public Schedule(Family family, long seed, Conditions conditions) {
    this.family = family;
    this.seed = seed;
    this.conditions = conditions;
    draw = new Draw(seed);
    boolean isLog = family == Family.SLIDING_LOG || family == Family.SLIDING_LOG_WITH_CELLS;
    crowded = isLog && draw.oneIn(500);
    haste = crowded ? 500 : 1 << draw.below(4);
    length = crowded ? 7_000 : 50 + (int) draw.below(450);
    start = draw.start();
    latest = start;
    clock = new ManualClock(start);
    limits = draw.limits(family, List.of());
    if (crowded) {
      limits = limits.stream().map(draw::crowded).toList();
    }
    everUsed.addAll(limits);
    addKeys();
    oracle = new Oracle(policy(), clock);
  }

  private void addKeys() {
    Stream.of("a", "b", "c", "d").limit(1 + draw.below(crowded ? 1 : 4)).forEach(keys::add);
    if (draw.oneIn(8)) {
      keys.add("tier");
      tier = draw.limits(family, List.of());
      everUsed.addAll(tier);
    }
  }

  /**
   * The policy in force: at first the one to make the limiter with.
   *
   * @return the policy
   */
  public Policy policy() {
    Policy policy = Policy.named("schedule").limits(limits);
    List<Limit> inTier = tier;
    return inTier.isEmpty() ? policy : policy.tiers(key -> key.equals("tier") ? inTier : List.of());
  }

  /**
   * The time at which the limiter is made.
   *
   * @return microseconds
   */
  public long startMicros() {
    return start;
  }

  @Override
  public boolean hasNext() {
    return steps < length;
  }

  @Override
  public Step next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the schedule has only " + length + " steps");
    }
    String key = draw.oneOf(keys);
    Limit limit = draw.oneOf(oracle.policy().limitsFor(key));
    Decision last = lastDecisions.computeIfAbsent(key, oracle::peek);
    moveClock(limit, last);
    Operation operation = crowded ? simple(key, limit, last) : any(key, limit, last);
    Decision expected = operation.on(oracle);
    if (expected != null) {
      lastDecisions.put(key, expected);
    }
    Step step = new Step(++steps, clock.micros(), operation, expected);
    if (lastSteps.size() == REMEMBERED_STEPS) {
      lastSteps.removeFirst();
    }
    lastSteps.addLast(step);
    return step;
  }

  private void moveClock(Limit limit, Decision last) {
    long now = clock.micros();
    long next;
    if (!conditions.forgetsIdleKeys && draw.oneIn(crowded ? 2_000 : 60)) {
      next = Math.max(earliest, draw.earlierThan(now, limit));
    } else if (now < latest && draw.oneIn(4)) {
      next = latest;
    } else {
      next = draw.oneIn(haste) ? draw.laterThan(now, limit, last) : draw.soonAfter(now, limit);
    }
    if (next < conditions.latestMicros) {
      clock.setMicros(next);
      latest = Math.max(latest, next);
    }
  }

  private Operation any(String key, Limit limit, Decision last) {
    long permits = draw.cost(limit, last);
    return switch ((int) draw.below(64)) {
      case 0 -> new Operation.Reset(key);
      case 1, 2 -> changePermits();
      case 3 -> changeLimits();
      case 4, 5, 6, 7 -> new Operation.Refund(key, permits);
      case 8, 9, 10, 11, 12, 13 -> new Operation.Acquire(key, 0);
      case 14 -> new Operation.AcquireAsync(key, permits);
      default -> new Operation.Acquire(key, permits);
    };
  }

  /** Permit by permit, so that the log grows long. */
  private Operation simple(String key, Limit limit, Decision last) {
    if (draw.oneIn(400)) {
      return new Operation.Refund(key, draw.cost(limit, last));
    }
    if (draw.oneIn(2_000)) {
      return draw.oneIn(2) ? changePermits() : new Operation.Reset(key);
    }
    return new Operation.Acquire(key, draw.oneIn(50) ? draw.cost(limit, last) : 1);
  }

  private Operation changePermits() {
    limits = limits.stream().map(this::otherPermits).toList();
    tier = tier.stream().map(this::otherPermits).toList();
    return new Operation.Change(policy());
  }

  private Limit otherPermits(Limit limit) {
    return draw.otherPermits(limit, conditions.forgetsIdleKeys);
  }

  /** Drops some limits at least, and adds others that never were in force. */
  private Operation changeLimits() {
    clock.setMicros(latest);
    earliest = latest;
    limits = otherLimits(limits);
    tier = tier.isEmpty() ? tier : otherLimits(tier);
    return new Operation.Change(policy());
  }

  private List<Limit> otherLimits(List<Limit> old) {
    List<Limit> fresh = draw.limits(family, everUsed);
    everUsed.addAll(fresh);
    List<Limit> next = new ArrayList<>(fresh);
    if (family == Family.SEVERAL_LIMITS) {
      old.stream().skip(1).filter(limit -> draw.oneIn(2)).forEach(next::add);
    }
    return next;
  }

  /** The seed, the policy in force and the last steps: what to print when a test fails. */
  @Override
  public String toString() {
    return "schedule of "
        + family
        + " with seed "
        + seed
        + (tier.isEmpty() ? "" : ", limits of the key 'tier' " + tier)
        + ", policy "
        + policy()
        + ", last steps:\n"
        + lastSteps.stream().map(Step::toString).collect(Collectors.joining("\n"));
  }
}
