package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Many threads on few keys by a real clock, and not one permit too many or too few: the first two
 * guarantees of the contract, checked by {@link HistoryChecker}.
 */
public abstract class HistoryContract {
  private static final int THREADS = 4;
  private static final int TESTS = 5;

  /** For subclasses. */
  protected HistoryContract() {}

  /**
   * Returns a store to test, with a clock that moves by itself.
   *
   * @return a store in which nothing is charged to any key
   */
  protected abstract Store newStore();

  /**
   * Returns the number of decisions to check in all.
   *
   * @return ten million, or the value of {@code -Dsash.history}
   */
  protected long decisions() {
    return Long.getLong("sash.history", 10_000_000);
  }

  /**
   * Returns by what factor the store is slower than memory: windows are that many times longer, so
   * that some requests are still denied.
   *
   * @return 1; override it for a remote store
   */
  protected int slowness() {
    return 1;
  }

  /**
   * Returns the clock that dates the store's decisions, as this process can read it.
   *
   * @param store created by {@link #newStore}
   * @return {@link Store#clock}; override it for a store that decides by another clock
   */
  protected MicroClock clockOf(Store store) {
    return store.clock();
  }

  @Test
  void aHundredPerMillisecond() throws Exception {
    check(new Crowd(THREADS, 3, 1), "100/1ms");
  }

  @Test
  void oneEachMillisecond() throws Exception {
    check(new Crowd(THREADS, 2, 1), "1/1ms");
  }

  @Test
  void requestsOfDifferentCosts() throws Exception {
    check(new Crowd(THREADS, 2, 20), "1000/10ms");
  }

  @Test
  void cellsNeverExceedTheLimitEither() throws Exception {
    check(new Crowd(THREADS, 2, 5), "500/5ms sliding-log cells=10");
  }

  @Test
  void severalLimitsAtOnce() throws Exception {
    check(new Crowd(THREADS, 2, 3), "60/1ms", "500/20ms");
  }

  private void check(Crowd crowd, String... shorthands) throws InterruptedException {
    Limit[] limits =
        Arrays.stream(shorthands).map(Limit::parse).map(this::slowed).toArray(Limit[]::new);
    Store store = newStore();
    RateLimiter limiter = store.limiter(Policy.of("history", limits));
    List<History> histories = crowd.ask(limiter, clockOf(store), decisions() / TESTS);
    for (History history : histories) {
      assertThat(HistoryChecker.check(history, limits)).isEmpty();
      assertThat(history.admitted()).as("some, not all").isBetween(1, history.size() - 1);
    }
  }

  private Limit slowed(Limit limit) {
    return Limit.slidingLog(limit.permits(), limit.window().multipliedBy(slowness()))
        .withCells(limit.cells());
  }
}
