package dev.sash.testkit;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

/**
 * What the parts of the decision contract have in common. A store proves that it keeps the contract
 * by extending each part and saying how its limiters are made:
 *
 * <pre>{@code
 * class MyStoreContractTest {
 *   @Nested
 *   class Algorithms extends AlgorithmContract {
 *     @Override
 *     protected RateLimiter newLimiter(Policy policy, ManualClock clock) {
 *       return MyStore.builder().clock(clock).build().limiter(policy);
 *     }
 *   }
 *
 *   // and so on: OperationsContract, WorstCaseContract, SeveralLimitsContract,
 *   // PolicyChangeContract, TimeContract, BadInputContract,
 *   // LargeNumbersContract, WaitingContract, ListenerContract
 * }
 * }</pre>
 */
public abstract class RateLimiterContract {
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

  /** For subclasses. */
  protected RateLimiterContract() {}

  /**
   * A limiter to test. No two policies of a test have the same name.
   *
   * @param policy what is allowed
   * @param clock decides, and is what {@code acquire} waits on
   * @return a limiter with nothing charged to any key
   */
  protected abstract RateLimiter newLimiter(Policy policy, ManualClock clock);

  /**
   * The latest time that the store can tell: for its clock, time ends there.
   *
   * @return {@link Long#MAX_VALUE}; override it for a store that ends earlier
   */
  protected long latestMicros() {
    return Long.MAX_VALUE;
  }

  final RateLimiter limiter(String... limits) {
    return limiter(policy().limits(Arrays.stream(limits).map(Limit::parse).toList()));
  }

  final RateLimiter limiter(Policy policy) {
    return newLimiter(policy, clock);
  }

  final Policy policy() {
    return Policy.named("contract-" + policies++);
  }

  /** The test once for each algorithm, with a limiter of ten permits a second. */
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

  /** Spends one permit after the other until one is denied, and tells how many were admitted. */
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
