package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
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
   * A limiter to test, with a clock that moves by itself.
   *
   * @param policy what is allowed
   * @return a limiter with nothing charged to any key
   */
  protected abstract RateLimiter newLimiter(Policy policy);

  /**
   * How many decisions to check in all.
   *
   * @return ten million, or what {@code -Dsash.history} says
   */
  protected long decisions() {
    return Long.getLong("sash.history", 10_000_000);
  }

  /**
   * By how much the store is slower than memory: windows are so many times longer, so that there
   * are still denials.
   *
   * @return 1; override it for a store far away
   */
  protected int slowness() {
    return 1;
  }

  /**
   * The clock that the limiter decides by, as this process can read it.
   *
   * @param limiter made by {@link #newLimiter}
   * @return the limiter's; override it for a store that has a clock of its own
   */
  protected MicroClock clockOf(RateLimiter limiter) {
    return limiter.clock();
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
    RateLimiter limiter = newLimiter(Policy.of("history", limits));
    List<History> histories = crowd.ask(limiter, clockOf(limiter), decisions() / TESTS);
    for (History history : histories) {
      assertThat(HistoryChecker.check(history, limits)).isEmpty();
      assertThat(history.admitted()).as("some, not all").isBetween(1, history.size() - 1);
    }
  }

  private Limit slowed(Limit limit) {
    return new Limit(
        limit.algorithm(),
        limit.permits(),
        limit.windowMicros() * slowness(),
        limit.cells(),
        limit.capacity());
  }
}
