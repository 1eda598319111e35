package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.store.Store;
import dev.sash.testkit.Schedule.Conditions;
import dev.sash.testkit.Schedule.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A store decides as the {@link Oracle} does, field by field, over random {@linkplain Schedule
 * schedules}. Extend it for a store and it runs with your other tests:
 *
 * <pre>{@code
 * class MyStoreParityTest extends ParityContract {
 *   protected Store newStore(ManualClock clock) {
 *     return new MyStore(clock);
 *   }
 * }
 * }</pre>
 *
 * <p>{@code -Dsash.schedules=n} compares n decisions per family instead of {@link #decisions}. The
 * seeds are 1, 2, 3 and so on: the same in every run, and more of them the more decisions. {@code
 * -Dsash.seed=n} replays the schedule of that seed alone.
 */
public abstract class ParityContract {
  /** For subclasses. */
  protected ParityContract() {}

  /**
   * Returns a store to compare. Called for every schedule.
   *
   * @param clock dates the store's decisions
   * @return a store in which nothing is charged to any key
   */
  protected abstract Store newStore(ManualClock clock);

  /**
   * Returns the least number of decisions to compare for each family.
   *
   * @return one million; override it for a slow store
   */
  protected long decisions() {
    return 1_000_000;
  }

  /**
   * Returns what the schedules must not ask of the store.
   *
   * @return {@link Conditions#FORGETFUL}; override it for a store that can do more or less
   */
  protected Conditions conditions() {
    return Conditions.FORGETFUL;
  }

  /**
   * Returns the number of steps to give to {@link #decide} at once.
   *
   * @return 1; override it for a store that decides about many requests faster together
   */
  protected int batch() {
    return 1;
  }

  /**
   * Performs some steps of a schedule in their order, each at its time.
   *
   * @param store the store to ask
   * @param clock the clock of the store, to be set to the time of each step
   * @param steps at most {@link #batch}
   * @return the store's decision in each step
   */
  protected List<Decision> decide(Store store, ManualClock clock, List<Step> steps) {
    List<Decision> decisions = new ArrayList<>();
    for (Step step : steps) {
      clock.setMicros(step.clockMicros());
      decisions.add(step.on(store));
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

  /** Runs one schedule and returns how many decisions it had. */
  private long compare(Family family, long seed, TestInfo test) {
    Schedule schedule = new Schedule(family, seed, conditions());
    ManualClock clock = new ManualClock(schedule.startMicros());
    Store store = newStore(clock);
    long decisions = 0;
    while (schedule.hasNext()) {
      List<Step> steps = new ArrayList<>();
      while (schedule.hasNext() && steps.size() < batch()) {
        steps.add(schedule.next());
      }
      List<Decision> actual;
      try {
        actual = decide(store, clock, steps);
      } catch (RuntimeException e) {
        throw new AssertionError(report(family, seed, test, steps.get(0), e.toString()), e);
      }
      for (int i = 0; i < steps.size(); i++) {
        Decision decision = Usages.comparable(actual.get(i));
        if (!decision.equals(steps.get(i).expected())) {
          throw new AssertionError(
              report(family, seed, test, steps.get(i), decision + " " + decision.usages()));
        }
      }
      decisions += steps.size();
    }
    return decisions;
  }

  private String report(Family family, long seed, TestInfo test, Step step, String actual) {
    Schedule again = new Schedule(family, seed, conditions());
    while (again.next().number()
        < step.number()) {} // its text then shows the steps before this one
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
