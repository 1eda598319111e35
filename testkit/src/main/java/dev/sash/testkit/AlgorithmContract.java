package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.RateLimiter;
import org.junit.jupiter.api.Test;

/** The decisions of each algorithm, step by step. */
public abstract class AlgorithmContract extends StoreContract {
  /** For subclasses. */
  protected AlgorithmContract() {}

  @Test
  void theLogReleasesAChargeWhenItIsExactlyOneWindowOld() {
    check(
        "10/1m",
        """
        at       | do   | answer  | used | left | retry | reset
        0        | 4    | allowed | 4    | 6    | 0     | 1m
        20s      | 5    | allowed | 9    | 1    | 0     | 1m
        30s      | 3    | denied  | 9    | 1    | 30s   | 50s
        1m - 1us | 3    | denied  | 9    | 1    | 1us   | 20s + 1us
        1m       | 3    | allowed | 8    | 2    | 0     | 1m
        80s - 1us| peek | allowed | 8    | 2    | 0     | 40s + 1us
        80s      | peek | allowed | 3    | 7    | 0     | 40s
        2m - 1us | peek | allowed | 3    | 7    | 0     | 1us
        2m       | peek | allowed | 0    | 10   | 0     | 0
        """);
  }

  @Test
  void theLogCountsEveryRequestOfTheSameTick() {
    check(
        "3/1s",
        """
        at       | do | answer  | used | left | retry | reset
        5ms      | 1  | allowed | 1    | 2    | 0     | 1s
        5ms      | 1  | allowed | 2    | 1    | 0     | 1s
        5ms      | 1  | allowed | 3    | 0    | 0     | 1s
        5ms      | 1  | denied  | 3    | 0    | 1s    | 1s
        1004999us| 1  | denied  | 3    | 0    | 1us   | 1us
        1005ms   | 3  | allowed | 3    | 0    | 0     | 1s
        """);
  }

  @Test
  void theLogWaitsForAsManyOfTheOldestChargesAsTheRequestNeeds() {
    check(
        "6/1s",
        """
        at    | do | answer  | used | left | retry | reset
        0     | 1  | allowed | 1    | 5    |       |
        100ms | 2  | allowed | 3    | 3    |       |
        200ms | 3  | allowed | 6    | 0    | 0     | 1s
        300ms | 1  | denied  | 6    | 0    | 700ms | 900ms
        300ms | 2  | denied  | 6    | 0    | 800ms | 900ms
        300ms | 3  | denied  | 6    | 0    | 800ms | 900ms
        300ms | 4  | denied  | 6    | 0    | 900ms | 900ms
        300ms | 6  | denied  | 6    | 0    | 900ms | 900ms
        300ms | 7  | never   | 6    | 0    |       | 900ms
        """);
  }

  @Test
  void theLogGivesTheMostRecentBackFirst() {
    check(
        "9/1s",
        """
        at     | do       | answer  | used | left | retry | reset
        0      | 3        | allowed | 3    |      |       | 1s
        100ms  | 3        | allowed | 6    |      |       | 1s
        200ms  | 3        | allowed | 9    |      |       | 1s
        300ms  | refund 4 | allowed | 5    | 4    | 0     | 800ms
        300ms  | refund 2 | allowed | 3    | 6    | 0     | 700ms
        400ms  | 6        | allowed | 9    | 0    | 0     | 1s
        1s     | peek     | allowed | 6    | 3    | 0     | 400ms
        1s     | refund 9 | allowed | 0    | 9    | 0     | 0
        """);
  }

  @Test
  void aLogWithCellsReleasesAChargeWhenTheEndOfItsCellIsOneWindowOld() {
    check(
        "10/1s sliding-log cells=10",
        """
        at             | do       | answer  | used | left | retry | reset
        0              | 2        | allowed | 2    | 8    | 0     | 1s + 99999us
        99999us        | 3        | allowed | 5    | 5    | 0     | 1s
        100ms          | 4        | allowed | 9    | 1    | 0     | 1s + 99999us
        150ms          | 2        | denied  | 9    | 1    | 949999us | 1s + 49999us
        1s + 99998us   | 2        | denied  | 9    | 1    | 1us   | 100001us
        1s + 99999us   | 2        | allowed | 6    | 4    | 0     | 1s
        1s + 199998us  | peek     | allowed | 6    | 4    | 0     | 900001us
        1s + 199999us  | peek     | allowed | 2    | 8    | 0     | 900ms
        1s + 199999us  | refund 1 | allowed | 1    | 9    | 0     | 900ms
        2s + 99998us   | peek     | allowed | 1    |      | 0     | 1us
        2s + 99999us   | peek     | allowed | 0    | 10   | 0     | 0
        """);
  }

  @Test
  void aLogWithOneCellHoldsAChargeForUpToTwoWindows() {
    check(
        "10/1s sliding-log cells=1",
        """
        at            | do | answer  | used | left | retry | reset
        0             | 6  | allowed | 6    | 4    | 0     | 2s - 1us
        1s - 1us      | 4  | allowed | 10   | 0    | 0     | 1s
        1s            | 1  | denied  | 10   | 0    | 1s - 1us | 1s - 1us
        2s - 1us      | 10 | allowed | 10   | 0    | 0     | 1s
        """);
  }

  @Test
  void cellsThatDoNotDivideTheWindowAreRoundedUp() {
    // Three cells of 333334 µs; from 0 the first ends at 333333.
    RateLimiter limiter = limiter("10/1s sliding-log cells=3");
    assertThat(limiter.tryAcquire("k", 5).resetAfter()).isEqualTo(micros(1_333_333));
    clock.setMicros(333_334);
    assertThat(limiter.tryAcquire("k", 5).resetAfter()).isEqualTo(micros(1_333_333));
    assertThat(retryMicros(limiter.tryAcquire("k", 1))).isEqualTo(999_999);
  }

  @Test
  void theCounterWeighsThePreviousWindowByWhatIsLeftOfIt() {
    check(
        "100/1m sliding-counter",
        """
        at       | do   | answer  | used | left | retry | reset
        30s      | 80   | allowed | 80   | 20   | 0     |
        75s      | peek | allowed | 60   | 40   | 0     |
        75s      | 30   | allowed | 90   | 10   | 0     |
        75s      | 1    | allowed | 91   | 9    | 0     |
        75s      | 10   | denied  | 91   | 9    | 1us   |
        75s + 1us| 10   | allowed | 100  | 0    | 0     |
        """);
  }

  @Test
  void theCounterForgetsInStepsOfOnePermit() {
    check(
        "10/1s sliding-counter",
        """
        at         | do   | answer  | used | left | retry      | reset
        500ms      | 10   | allowed | 10   | 0    | 0          | 1400001us
        500ms      | 1    | denied  | 10   | 0    | 500001us   | 1400001us
        500ms      | 10   | denied  | 10   | 0    | 1400001us  | 1400001us
        1s         | 1    | denied  | 10   | 0    | 1us        | 900001us
        1s + 1us   | 1    | allowed | 10   | 0    | 0          |
        1s + 1us   | 1    | denied  | 10   | 0    | 100ms      |
        1s + 100ms | 1    | denied  | 10   | 0    | 1us        |
        1s + 900ms | peek | allowed | 2    | 8    | 0          |
        1s + 900001us | peek | allowed | 1 | 9    | 0          | 100ms
        2s         | peek | allowed | 1    | 9    | 0          | 1us
        2s + 1us   | peek | allowed | 0    | 10   | 0          | 0
        """);
  }

  @Test
  void theCounterForgetsAtOnceWhenAWindowWasSkipped() {
    check(
        "10/1s sliding-counter",
        """
        at       | do       | answer  | used | left | retry | reset
        100ms    | 10       | allowed | 10   | 0    |       |
        2s - 1us | peek     | allowed | 0    | 10   | 0     | 0
        2s       | 10       | allowed | 10   | 0    |       |
        4s       | peek     | allowed | 0    | 10   | 0     | 0
        5s       | 4        | allowed | 4    | 6    |       |
        """);
  }

  @Test
  void theCounterGivesBackFromTheCurrentWindowFirst() {
    check(
        "10/1s sliding-counter",
        """
        at     | do       | answer  | used | left | retry | reset
        0      | 8        | allowed | 8    | 2    |       |
        1500ms | 5        | allowed | 9    | 1    |       |
        1500ms | refund 2 | allowed | 7    | 3    |       |
        1500ms | refund 7 | allowed | 2    | 8    | 0     | 250001us
        1750ms | peek     | allowed | 1    | 9    |       |
        1750ms | refund 9 | allowed | 0    | 10   | 0     | 0
        """);
  }

  @Test
  void theFixedWindowStartsAgainAtEveryMultipleOfItsLength() {
    check(
        "10/1s fixed-window",
        """
        at       | do       | answer  | used | left | retry | reset
        400ms    | 6        | allowed | 6    | 4    | 0     | 600ms
        900ms    | 5        | denied  | 6    | 4    | 100ms | 100ms
        900ms    | 4        | allowed | 10   | 0    | 0     | 100ms
        1s - 1us | 1        | denied  | 10   | 0    | 1us   | 1us
        1s       | 10       | allowed | 10   | 0    | 0     | 1s
        1s       | refund 4 | allowed | 6    | 4    | 0     | 1s
        2s       | peek     | allowed | 0    | 10   | 0     | 0
        2s       | refund 4 | allowed | 0    | 10   | 0     | 0
        7s       | 3        | allowed | 3    | 7    | 0     | 1s
        """);
  }

  @Test
  void theTokenBucketRefillsEvenly() {
    check(
        "10/1s token-bucket",
        """
        at          | do       | answer  | used | left | retry | reset
        0           | 10       | allowed | 10   | 0    | 0     | 1s
        0           | 1        | denied  | 10   | 0    | 100ms | 1s
        100ms - 1us | 1        | denied  | 10   | 0    | 1us   | 900001us
        100ms       | 1        | allowed | 10   | 0    | 0     | 1s
        250ms       | 2        | denied  | 9    | 1    | 50ms  | 850ms
        250ms       | 1        | allowed | 10   | 0    | 0     | 950ms
        250ms       | refund 3 | allowed | 7    | 3    | 0     | 650ms
        900ms - 1us | peek     | allowed | 1    | 9    | 0     | 1us
        900ms       | peek     | allowed | 0    | 10   | 0     | 0
        1h          | peek     | allowed | 0    | 10   | 0     | 0
        """);
  }

  @Test
  void theTokenBucketKeepsFractionsExactly() {
    // A third of a second for each permit: 333333 and a third.
    check(
        "3/1s token-bucket",
        """
        at       | do       | answer  | used | left | retry    | reset
        0        | 3        | allowed | 3    | 0    | 0        | 1s
        0        | 1        | denied  | 3    | 0    | 333334us | 1s
        333333us | 1        | denied  | 3    | 0    | 1us      | 666667us
        333334us | 1        | allowed | 3    | 0    | 0        | 1s
        333334us | 1        | denied  | 3    | 0    | 333333us | 1s
        1s       | 2        | allowed | 3    | 0    | 0        | 1s
        2s - 1us | peek     | allowed | 1    | 2    | 0        | 1us
        2s       | 3        | allowed | 3    | 0    | 0        | 1s
        2s + 1us | refund 2 | allowed | 1    | 2    | 0        | 333333us
        2s + 1us | refund 1 | allowed | 0    | 3    | 0        | 0
        """);
  }

  @Test
  void theTokenBucketMayHoldMoreOrLessThanItRefillsInAWindow() {
    check(
        "50/1s token-bucket capacity=200",
        """
        at       | do  | answer  | used | left | retry | reset
        0        | 200 | allowed | 200  | 0    | 0     | 4s
        0        | 201 | never   | 200  | 0    |       | 4s
        1s       | 51  | denied  | 150  | 50   | 20ms  | 3s
        1s       | 50  | allowed | 200  | 0    | 0     | 4s
        5s       | 200 | allowed | 200  | 0    | 0     | 4s
        """);
    check(
        "50/1s token-bucket capacity=5",
        """
        at       | do  | answer  | used | left | retry | reset
        0        | 5   | allowed | 5    | 0    | 0     | 100ms
        0        | 6   | never   | 5    | 0    |       | 100ms
        20ms     | 1   | allowed | 5    | 0    | 0     | 100ms
        20ms     | 5   | denied  | 5    | 0    | 100ms | 100ms
        1s       | 5   | allowed | 5    | 0    | 0     | 100ms
        """);
  }

  @Test
  void aHundredBeforeTheFullMinuteAndAHundredAfterIt() {
    assertThat(admittedAroundTheMinute("100/1m")).isEqualTo(100);
    assertThat(admittedAroundTheMinute("100/1m sliding-log cells=60")).isEqualTo(100);
    assertThat(admittedAroundTheMinute("100/1m fixed-window")).isEqualTo(200);
    // One second into the minute 59/60 of the previous hundred still count: 98 and a third.
    assertThat(admittedAroundTheMinute("100/1m sliding-counter")).isEqualTo(102);
    // Two seconds bring back 3 and a third.
    assertThat(admittedAroundTheMinute("100/1m token-bucket")).isEqualTo(103);
  }

  private int admittedAroundTheMinute(String limit) {
    RateLimiter limiter = limiter(limit);
    int admitted = 0;
    for (long second : new long[] {59, 61}) {
      clock.setMicros(second * 1_000_000);
      for (int i = 0; i < 100; i++) {
        admitted += limiter.tryAcquire("k").allowed() ? 1 : 0;
      }
    }
    return admitted;
  }
}
