package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
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

/**
 * A random sequence of operations on a few keys of one policy, each with the time at which to do it
 * and the decision that the {@link Oracle} makes then. The same family, seed and conditions always
 * give the same schedule.
 *
 * <pre>{@code
 * Schedule schedule = new Schedule(Family.SLIDING_LOG, 42, Conditions.ANY);
 * Store store = ...  // on a manual clock
 * schedule.forEachRemaining(step -> {
 *   clock.setMicros(step.clockMicros());
 *   assertThat(step.on(store)).as(schedule::toString).isEqualTo(step.expected());
 * });
 * }</pre>
 *
 * <p>It is drawn where mistakes live: limits of 1 and 10⁹ permits, windows from 1 ms to 366 days,
 * many about 2³¹ and 2³² microseconds, times about 0 and the same powers of two and today, and
 * often the very tick at which a window ends or that a decision named, or a tick beside it. Clocks
 * go backwards. Each key mostly uses one of a few sets of limits, as if it were its tier, but
 * others come in between and go again; permits change, windows and algorithms too. Some schedules
 * keep thousands of records.
 */
public final class Schedule implements Iterator<Schedule.Step> {
  private static final int REMEMBERED_STEPS = 20;
  private static final int MOST_SETS = 5;

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
  private final List<String> keys;
  private final Map<String, Integer> tiers = new HashMap<>();
  private final Map<String, Decision> lastDecisions = new HashMap<>();
  private final Deque<Step> lastSteps = new ArrayDeque<>();
  private final List<ResolvedLimits> sets = new ArrayList<>();
  private int steps;
  private long latest;

  /**
   * What a store can be asked to do.
   *
   * @param forgetsIdleKeys whether the store may forget, at any time, state to which nothing is
   *     charged: then the clock does not go backwards where that would become visible
   * @param latestMicros the end of time for the store's clock
   * @param burst how many steps happen at the same time on average, for a store that decides about
   *     several requests together; 1 for none but by chance
   */
  public record Conditions(boolean forgetsIdleKeys, long latestMicros, int burst) {
    /** Nothing is forgotten, and times are whole numbers in a double: below 2⁵². */
    public static final Conditions ANY = new Conditions(false, 1L << 52, 1);

    /** Idle state may be forgotten, and times are whole numbers in a double: below 2⁵². */
    public static final Conditions FORGETFUL = new Conditions(true, 1L << 52, 1);

    /**
     * Returns these conditions with bursts.
     *
     * @param burst how many steps happen at the same time on average
     * @return the new conditions
     */
    public Conditions withBursts(int burst) {
      return new Conditions(forgetsIdleKeys, latestMicros, burst);
    }
  }

  /**
   * One operation.
   *
   * @param number counts from 1
   * @param clockMicros the time to set the clock to first; may be earlier than before
   * @param operation what to do then
   * @param limits the limits to decide by
   * @param key the key
   * @param permits the number of permits
   * @param expected the decision according to the contract; the {@linkplain Decision#usages usages}
   *     of an inspection have neither records nor times to live
   */
  public record Step(
      int number,
      long clockMicros,
      Operation operation,
      ResolvedLimits limits,
      String key,
      long permits,
      Decision expected) {
    /**
     * Performs the operation; one in sixteen by the asynchronous method.
     *
     * @param store the store to ask, at the time of this step
     * @return its decision, to be equal to {@link #expected}
     */
    public Decision on(Store store) {
      Decision decision =
          number % 16 == 0
              ? store.decideAsync(operation, limits, key, permits).toCompletableFuture().join()
              : store.decide(operation, limits, key, permits);
      return Usages.comparable(decision);
    }

    @Override
    public String toString() {
      return "#"
          + number
          + " at "
          + clockMicros
          + " "
          + operation
          + " "
          + permits
          + " of "
          + key
          + " under "
          + limits.limits()
          + " -> "
          + expected;
    }
  }

  /**
   * Creates a schedule.
   *
   * @param family which limits to draw from
   * @param seed any number
   * @param conditions what not to ask of the store
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
    oracle = new Oracle(clock);
    keys = Stream.of("a", "b", "c", "d").limit(1 + draw.below(crowded ? 1 : 4)).toList();
    drawSets();
  }

  private void drawSets() {
    List<Limit> first = draw.limits(family, List.of());
    sets.add(resolved(crowded ? first.stream().map(draw::crowded).toList() : first));
    while (!crowded && sets.size() < MOST_SETS && draw.oneIn(2)) {
      sets.add(resolved(anotherSet()));
    }
    keys.forEach(key -> tiers.put(key, (int) draw.below(sets.size())));
  }

  /** Limits of other kinds, of the same kinds with other permits, or some of both. */
  private List<Limit> anotherSet() {
    List<Limit> known = draw.oneOf(sets).limits();
    if (draw.oneIn(2)) {
      return known.stream().map(draw::otherPermits).toList();
    }
    if (family != Family.SEVERAL_LIMITS || draw.oneIn(2)) {
      return draw.limits(family, List.of());
    }
    List<Limit> mixed = new ArrayList<>(draw.limits(family, known).subList(0, 1));
    known.stream().skip(draw.below(known.size())).forEach(mixed::add);
    return mixed;
  }

  private static ResolvedLimits resolved(List<Limit> limits) {
    return new ResolvedLimits(Policy.named("schedule").withLimits(limits), limits);
  }

  /**
   * Returns the time at which the store is created.
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
    ResolvedLimits limits = limitsFor(key);
    Limit limit = draw.oneOf(limits.limits());
    Decision last = lastDecisions.get(key);
    if (last == null) {
      last = oracle.decide(Operation.PEEK, limits, key, 0);
    }
    moveClock(limit, last);
    Operation operation = crowded ? simpleOperation() : operation();
    long permits = permits(operation, limit, last);
    Decision expected = Usages.comparable(oracle.decide(operation, limits, key, permits));
    lastDecisions.put(key, expected);
    Step step = new Step(++steps, clock.micros(), operation, limits, key, permits, expected);
    if (lastSteps.size() == REMEMBERED_STEPS) {
      lastSteps.removeFirst();
    }
    lastSteps.addLast(step);
    return step;
  }

  private ResolvedLimits limitsFor(String key) {
    if (draw.oneIn(crowded ? 2_000 : 32)) {
      change();
    }
    if (draw.oneIn(crowded ? 2_000 : 24)) {
      tiers.put(key, (int) draw.below(sets.size()));
    }
    int chosen = draw.oneIn(6) ? (int) draw.below(sets.size()) : tiers.getOrDefault(key, 0);
    return sets.get(chosen);
  }

  /** Changes the permits of a set, or replaces it. */
  private void change() {
    int changed = (int) draw.below(sets.size());
    List<Limit> limits = sets.get(changed).limits();
    sets.set(
        changed,
        resolved(
            crowded || !draw.oneIn(3)
                ? limits.stream().map(draw::otherPermits).toList()
                : anotherSet()));
  }

  private void moveClock(Limit limit, Decision last) {
    if (conditions.burst > 1 && !draw.oneIn(conditions.burst)) {
      return;
    }
    long now = clock.micros();
    long next;
    if (draw.oneIn(crowded ? 2_000 : 40) && mayGoBack()) {
      next = draw.earlierThan(now, limit);
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

  private boolean mayGoBack() {
    return !conditions.forgetsIdleKeys || !oracle.hasIdleState(latest);
  }

  private Operation operation() {
    return switch ((int) draw.below(64)) {
      case 0 -> Operation.RESET;
      case 1 -> Operation.INSPECT;
      case 2 -> Operation.REFUND_LOCAL;
      case 3, 4, 5, 6, 7 -> refund();
      case 8, 9, 10, 11, 12, 13 -> Operation.PEEK;
      case 14, 15, 16, 17, 18 -> Operation.CHARGE;
      default -> Operation.ACQUIRE;
    };
  }

  /** Mostly permit by permit, so that the log grows long. */
  private Operation simpleOperation() {
    if (draw.oneIn(400)) {
      return draw.oneIn(2) ? refund() : Operation.CHARGE;
    }
    return draw.oneIn(2_000) ? Operation.RESET : Operation.ACQUIRE;
  }

  /** What is refunded while the clock is behind may be forgotten, and its newest time with it. */
  private Operation refund() {
    boolean isBehind = clock.micros() < latest;
    return conditions.forgetsIdleKeys && isBehind ? Operation.PEEK : Operation.REFUND;
  }

  private long permits(Operation operation, Limit limit, Decision last) {
    return switch (operation) {
      case PEEK, RESET -> 0;
      case REFUND, REFUND_LOCAL, CHARGE, INSPECT -> draw.cost(limit, last);
      case ACQUIRE -> crowded && !draw.oneIn(50) ? 1 : draw.cost(limit, last);
    };
  }

  /** Returns the seed, the sets of limits and the last steps: what to print when a test fails. */
  @Override
  public String toString() {
    return "schedule of "
        + family
        + " with seed "
        + seed
        + ", sets of limits "
        + sets
        + ", last steps:\n"
        + lastSteps.stream().map(Step::toString).collect(Collectors.joining("\n"));
  }
}
