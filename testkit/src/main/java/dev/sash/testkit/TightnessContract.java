package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The waits in a store's decisions are exact to the tick: a denied request is admitted after {@code
 * retryAfter} and denied one tick earlier, and after {@code resetAfter} nothing is charged, but one
 * tick earlier something is. The store is compared with its own decisions here, not with a model.
 *
 * <p>Extend it for a store, as {@link ParityContract}. {@code -Dsash.cases=n} checks n cases per
 * family instead of {@link #cases}, {@code -Dsash.seed=n} replays the cases of that seed alone.
 */
public abstract class TightnessContract {
  /** For subclasses. */
  protected TightnessContract() {}

  /**
   * Returns a store to test.
   *
   * @param clock dates the store's decisions
   * @return a store in which nothing is charged to any key
   */
  protected abstract Store newStore(ManualClock clock);

  /**
   * Returns the least number of denied requests to follow up for each family.
   *
   * @return 100,000; override it for a slow store
   */
  protected int cases() {
    return 100_000;
  }

  @Test
  final void slidingLogHasExactWaits(TestInfo test) {
    check(Family.SLIDING_LOG, test);
  }

  @Test
  final void slidingLogWithCellsHasExactWaits(TestInfo test) {
    check(Family.SLIDING_LOG_WITH_CELLS, test);
  }

  @Test
  final void slidingCounterHasExactWaits(TestInfo test) {
    Promises.Tally tally = check(Family.SLIDING_COUNTER, test);
    if (Long.getLong("sash.seed") == null) {
      assertThat(tally.endsInWindow)
          .as("waits of a counter that end in this window, the next and the one after")
          .doesNotContain(0);
    }
  }

  @Test
  final void fixedWindowHasExactWaits(TestInfo test) {
    check(Family.FIXED_WINDOW, test);
  }

  @Test
  final void tokenBucketHasExactWaits(TestInfo test) {
    check(Family.TOKEN_BUCKET, test);
  }

  @Test
  final void severalLimitsHaveExactWaits(TestInfo test) {
    check(Family.SEVERAL_LIMITS, test);
  }

  private Promises.Tally check(Family family, TestInfo test) {
    Promises.Tally tally = new Promises.Tally();
    Long seed = Long.getLong("sash.seed");
    if (seed != null) {
      check(family, seed, test, tally);
      return tally;
    }
    int cases = Integer.getInteger("sash.cases", cases());
    for (long next = 1; tally.retries < cases; next++) {
      check(family, next, test, tally);
    }
    assertThat(tally.retriesOfSeveral).as("cases of cost above 1").isGreaterThan(cases / 4);
    assertThat(tally.resets).as("cases in which the reset was awaited").isGreaterThan(cases / 2);
    return tally;
  }

  private void check(Family family, long seed, TestInfo test, Promises.Tally tally) {
    Promises promises = new Promises(family, seed, this::newStore, tally);
    try {
      promises.check();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          e.getMessage() + "\n  replay: " + Replay.command(test, seed) + "\n" + promises, e);
    }
  }
}
