package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.LimiterRegistry;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

/**
 * What the parts of the decision contract have in common. A store is tested by extending each part:
 *
 * <pre>{@code
 * class MyStoreContractTest {
 *   @Nested
 *   class Algorithms extends AlgorithmContract {
 *     @Override
 *     protected Store newStore(ManualClock clock) {
 *       return MyStore.builder().clock(clock).build();
 *     }
 *   }
 *
 *   // and so on: OperationsContract, ChargeContract, WorstCaseContract, SeveralLimitsContract,
 *   // AlternationContract, PolicyChangeContract, TimeContract, BadInputContract,
 *   // LargeNumbersContract, WaitingContract, ListenerContract, AsyncContract
 * }
 * }</pre>
 *
 * <p>The other tests of a store are {@link ParityContract}, {@link TightnessContract}, {@link
 * HistoryContract} and, if it is bounded, {@link AtCapacityContract}.
 */
public abstract class StoreContract {
  /** Ten permits at once and a window of a second, counted in every way there is. */
  private static final List<String> TEN_PER_SECOND =
      List.of(
          "10/1s sliding-log",
          "10/1s sliding-log cells=10",
          "10/1s sliding-log cells=3",
          "10/1s sliding-counter",
          "10/1s fixed-window",
          "10/1s token-bucket",
          "4/1s token-bucket capacity=10",
          "25/1s token-bucket capacity=10");

  /** Begins at 0 for every test. */
  final ManualClock clock = new ManualClock();

  private int policies;
  private @Nullable Store store;
  private @Nullable LimiterRegistry limiters;

  /** For subclasses. */
  protected StoreContract() {}

  /**
   * Returns a store to test. Called once for each test method; no two policies of a test method
   * have the same name.
   *
   * @param clock dates the store's decisions, and is the store's {@link Store#clock}
   * @return a store in which nothing is charged to any key
   */
  protected abstract Store newStore(ManualClock clock);

  /**
   * Returns the latest time of the store's clock.
   *
   * @return {@link Long#MAX_VALUE}; override it for a store that ends earlier
   */
  protected long latestMicros() {
    return Long.MAX_VALUE;
  }

  /** Returns the store of this test. */
  final Store store() {
    Store present = store;
    if (present == null) {
      present = newStore(clock);
      store = present;
    }
    return present;
  }

  final RateLimiter limiter(String... limits) {
    return limiter(policy().withLimits(limits));
  }

  final RateLimiter limiter(Policy policy) {
    return limiters().put(policy);
  }

  /** Changes the limits of a limiter from its next decision on. */
  final void change(RateLimiter limiter, Limit... limits) {
    limiters().put(Policy.of(limiter.policy().name(), limits));
  }

  final LimiterRegistry limiters() {
    LimiterRegistry present = limiters;
    if (present == null) {
      present = new LimiterRegistry(store());
      limiters = present;
    }
    return present;
  }

  final Policy policy() {
    return Policy.named("contract-" + policies++);
  }

  /** Runs a test once for each algorithm, with a limiter of ten permits a second. */
  final Stream<DynamicTest> onEveryAlgorithm(ThrowingConsumer<RateLimiter> test) {
    return TEN_PER_SECOND.stream()
        .map(
            limit ->
                DynamicTest.dynamicTest(
                    limit,
                    () -> {
                      clock.setMicros(0);
                      test.accept(limiter(limit));
                    }));
  }

  /** Runs a {@link StepTable} at the clock's beginning and far from it. */
  final void check(String limits, String table) {
    String[] each = limits.split(" and ", -1);
    new StepTable(limiter(each), clock, 0).run(table);
    new StepTable(limiter(each), clock, Duration.ofDays(20_000).toMillis() * 1_000).run(table);
  }

  /** Spends one permit after the other until one is denied; returns how many were admitted. */
  static int spendAll(RateLimiter limiter, String key) {
    int admitted = 0;
    while (limiter.tryAcquire(key).allowed()) {
      admitted++;
    }
    return admitted;
  }

  static long retryMicros(Decision decision) {
    return decision.retryAfter().toNanos() / 1_000;
  }

  static Duration micros(long micros) {
    return Duration.ofNanos(Math.multiplyExact(micros, 1_000));
  }

  /** Null, as a caller without a checker may pass it. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T nothing() {
    return null;
  }
}
