package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The largest limits and windows there may be: no product of them overflows. */
public abstract class LargeNumbersContract extends StoreContract {
  /** For subclasses. */
  protected LargeNumbersContract() {}

  @Test
  void theLargestLogCountsRight() {
    check(
        "1000000000/366d",
        """
        at          | do         | answer  | used       | left      | retry   | reset
        0           | 999999999  | allowed | 999999999  | 1         | 0       | 366d
        1us         | 1          | allowed | 1000000000 | 0         | 0       | 366d
        2us         | 1          | denied  | 1000000000 | 0         | 366d - 2us | 366d - 1us
        366d - 1us  | 999999999  | denied  | 1000000000 | 0         | 1us     | 2us
        366d        | 999999999  | allowed | 1000000000 | 0         | 0       | 366d
        366d + 1us  | refund 1000000000 | allowed | 0   | 1000000000 | 0      | 0
        """);
  }

  @Test
  void theLargestCountersCountRight() {
    clock.setMicros(0);
    check(
        "1000000000/50d sliding-counter",
        """
        at    | do         | answer  | used       | left      | retry  | reset
        0     | 1000000000 | allowed | 1000000000 | 0         | 0      |
        75d   | peek       | allowed | 500000000  | 500000000 | 0      |
        75d   | 500000001  | denied  | 500000000  | 500000000 | 1us    |
        75d   | 500000000  | allowed | 1000000000 | 0         | 0      |
        100d  | peek       | allowed | 500000000  | 500000000 | 0      |
        150d  | peek       | allowed | 0          | 1000000000 | 0     | 0
        """);
    check(
        "1000000000/50d fixed-window",
        """
        at         | do         | answer  | used       | left | retry | reset
        50d - 1us  | 1000000000 | allowed | 1000000000 | 0    | 0     | 1us
        50d        | 1000000000 | allowed | 1000000000 | 0    | 0     | 50d
        """);
  }

  @Test
  void theLargestBucketsCountRight() {
    check(
        "1000000000/1ms token-bucket",
        """
        at     | do         | answer  | used       | left    | retry | reset
        0      | 1000000000 | allowed | 1000000000 | 0       | 0     | 1ms
        1us    | 1000000    | allowed | 1000000000 | 0       | 0     | 1ms
        1us    | 1000001    | denied  | 1000000000 | 0       | 2us   | 1ms
        """);
    RateLimiter slow = limiter("1/366d token-bucket capacity=1000000000");
    clock.setMicros(0);
    Decision all = slow.tryAcquire("k", 1_000_000_000);
    assertThat(all.allowed()).isTrue();
    assertThat(all.resetAfter()).as("a billion years").isGreaterThan(Duration.ofDays(36_525_000));
    assertThat(slow.tryAcquire("k", 1).retryAfter()).isEqualTo(Duration.ofDays(366));
    assertThat(slow.tryAcquire("k", 1_000_000_000).neverAllowed()).isFalse();
    clock.setMicros(Duration.ofDays(366).toMillis() * 1_000);
    assertThat(slow.tryAcquire("k", 1).allowed()).isTrue();
  }
}
