package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.testkit.Schedule.Conditions;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A store decides as the {@link Oracle} does, field by field, over random {@linkplain Schedule
 * schedules}. Extend it for a store and it runs with your other tests:
 *
 * <pre>{@code
 * class MyStoreParityTest extends ParityContract {
 *   protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
 *     return new MyStore(clock).limiter(policy);
 *   }
 * }
 * }</pre>
 *
 * <p>{@code -Dsash.schedules=n} asks for n decisions per family instead of {@link #decisions}. The
 * seeds are 1, 2, 3 and so on: the same in every run, and more of them the more decisions. {@code
 * -Dsash.seed=n} replays the schedule of that seed alone.
 */
public abstract class ParityContract {
  /** For subclasses. */
  protected ParityContract() {}

  /**
   * A limiter to compare.
   *
   * @param policy what is allowed, always of the same name
   * @param clock what the limiter decides by
   * @return a limiter in which nothing is charged to any key
   */
  protected abstract RateLimiter newLimiter(Policy policy, ManualClock clock);

  /**
   * How many decisions are compared for each family, at least.
   *
   * @return one million; override it for a slow store
   */
  protected long decisions() {
    return 1_000_000;
  }

  /**
   * What the schedules must spare the store.
   *
   * @return {@link Conditions#ANY}; override it for a store that cannot bear that
   */
  protected Conditions conditions() {
    return Conditions.ANY;
  }

  /**
   * How many steps are given to {@link #decide} at once.
   *
   * @return 1; override it for a store that is faster when it is asked many things together
   */
  protected int batch() {
    return 1;
  }

  /**
   * Does some steps of a schedule in their order, each at its time.
   *
   * @param limiter on this limiter
   * @param clock of the limiter, to be set to the time of each step
   * @param steps at most {@link #batch}
   * @return what the limiter decided in each step; null where the operation has no decision
   */
  protected List<@Nullable Decision> decide(
      RateLimiter limiter, ManualClock clock, List<Step> steps) {
    List<@Nullable Decision> decisions = new ArrayList<>();
    for (Step step : steps) {
      clock.setMicros(step.clockMicros());
      decisions.add(step.operation().on(limiter));
    }
    return decisions;
  }

  @Test
  final void slidingLogDecidesAsTheOracle(TestInfo test) {
    compare(Family.SLIDING_LOG, test);
  }

  @Test
  final void slidingLogWithCellsDecidesAsTheOracle(TestInfo test) {
    compare(Family.SLIDING_LOG_WITH_CELLS, test);
  }

  @Test
  final void slidingCounterDecidesAsTheOracle(TestInfo test) {
    compare(Family.SLIDING_COUNTER, test);
  }

  @Test
  final void fixedWindowDecidesAsTheOracle(TestInfo test) {
    compare(Family.FIXED_WINDOW, test);
  }

  @Test
  final void tokenBucketDecidesAsTheOracle(TestInfo test) {
    compare(Family.TOKEN_BUCKET, test);
  }

  @Test
  final void severalLimitsDecideAsTheOracle(TestInfo test) {
    compare(Family.SEVERAL_LIMITS, test);
  }

  private void compare(Family family, TestInfo test) {
    Long seed = Long.getLong("sash.seed");
    if (seed != null) {
      compare(family, seed, test);
      return;
    }
    long left = Long.getLong("sash.schedules", decisions());
    for (long next = 1; left > 0; next++) {
      left -= compare(family, next, test);
    }
  }

  /** Runs one schedule and tells how many decisions it had. */
  private long compare(Family family, long seed, TestInfo test) {
    Schedule schedule = new Schedule(family, seed, conditions());
    ManualClock clock = new ManualClock(schedule.startMicros());
    RateLimiter limiter = newLimiter(schedule.policy(), clock);
    long decisions = 0;
    while (schedule.hasNext()) {
      List<Step> steps = new ArrayList<>();
      while (schedule.hasNext() && steps.size() < batch()) {
        steps.add(schedule.next());
      }
      List<@Nullable Decision> actual;
      try {
        actual = decide(limiter, clock, steps);
      } catch (RuntimeException e) {
        throw new AssertionError(report(family, seed, test, steps.get(0), e.toString()), e);
      }
      for (int i = 0; i < steps.size(); i++) {
        Step step = steps.get(i);
        if (!Objects.equals(actual.get(i), step.expected())) {
          throw new AssertionError(report(family, seed, test, step, String.valueOf(actual.get(i))));
        }
        decisions += step.expected() == null ? 0 : 1;
      }
    }
    return decisions;
  }

  private String report(Family family, long seed, TestInfo test, Step step, String actual) {
    Schedule again = new Schedule(family, seed, conditions());
    while (again.next().number() < step.number()) {} // so that it tells of the steps before this
    return "the store and the oracle disagree in step "
        + step.number()
        + "\n  oracle: "
        + step.expected()
        + "\n  store:  "
        + actual
        + "\n  replay: "
        + Replay.command(test, seed)
        + "\n"
        + again;
  }
}
