package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.RateLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several limits on one key: all are charged, or none. */
public abstract class SeveralLimitsContract extends StoreContract {
  /** For subclasses. */
  protected SeveralLimitsContract() {}

  @Test
  void bothLimitsHold() {
    check(
        "5/1s and 8/1m",
        """
        at    | do | answer  | by | used | left | retry | reset
        0     | 3  | allowed | 1  | 3    | 2    | 0     | 1m
        0     | 3  | denied  | 1  | 3    | 2    | 1s    | 1m
        1s    | 4  | allowed | 1  | 4    | 1    | 0     | 1m
        1s    | 2  | denied  | 2  | 7    | 1    | 59s   | 1m
        2s    | 2  | denied  | 2  | 7    | 1    | 58s   | 59s
        2s    | 1  | allowed | 2  | 8    | 0    | 0     | 1m
        1m    | 3  | allowed | 2  | 8    | 0    | 0     | 1m
        """);
  }

  @Test
  void aDenialByOneChargesNone() {
    RateLimiter limiter = limiter("2/1s", "100/1h", "100/1h fixed-window", "100/1h token-bucket");
    limiter.tryAcquire("k", 2);
    for (int i = 0; i < 1_000; i++) {
      assertThat(limiter.tryAcquire("k", 1 + i % 2).allowed()).isFalse();
    }

    clock.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 49; i++) {
      assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
      clock.advance(Duration.ofSeconds(1));
    }
    Decision denied = limiter.tryAcquire("k");
    assertThat(denied.decidedBy()).isEqualTo(Limit.parse("100/1h"));
    assertThat(denied.used()).isEqualTo(100);
  }

  @Test
  void theLimitWithTheLongestWaitDenies() {
    check(
        "4/1s and 4/10s fixed-window and 4/5s",
        """
        at    | do   | answer  | by | used | left | retry | reset
        0     | 4    | allowed | 1  | 4    | 0    | 0     | 10s
        0     | 1    | denied  | 2  | 4    | 0    | 10s   | 10s
        8s    | 1    | denied  | 2  | 4    | 0    | 2s    | 2s
        9s    | peek | allowed | 2  | 4    | 0    | 0     | 1s
        10s   | 4    | allowed | 1  | 4    | 0    | 0     | 10s
        """);
  }

  @Test
  void ofEqualsTheFirstDecides() {
    check(
        "4/1s and 4/1s fixed-window",
        """
        at    | do   | answer  | by | used | left | retry | reset
        0     | peek | allowed | 1  | 0    | 4    | 0     | 0
        0     | 4    | allowed | 1  | 4    | 0    | 0     | 1s
        0     | 2    | denied  | 1  | 4    | 0    | 1s    | 1s
        0     | 5    | never   | 1  | 4    | 0    |       | 1s
        """);
    check(
        "4/1s fixed-window and 4/1s",
        """
        at    | do   | answer  | by | used | left | retry | reset
        500ms | 4    | allowed | 1  | 4    | 0    | 0     | 1s
        500ms | 2    | denied  | 2  | 4    | 0    | 1s    | 1s
        1s    | 1    | denied  | 2  | 4    | 0    | 500ms | 500ms
        """);
  }

  @Test
  void neverIsTheLongestWait() {
    check(
        "9/1s and 4/1m and 3/1h",
        """
        at    | do   | answer  | by | used | left | retry | reset
        0     | 3    | allowed | 3  | 3    | 0    | 0     | 1h
        0     | 1    | denied  | 3  | 3    | 0    | 1h    | 1h
        0     | 4    | never   | 3  | 3    | 0    |       | 1h
        0     | 5    | never   | 2  | 3    | 0    |       | 1h
        0     | 10   | never   | 1  | 3    | 0    |       | 1h
        """);
  }

  @Test
  void everyAlgorithmCanStandBesideEveryOther() {
    check(
        "9/1s sliding-counter and 8/1s fixed-window and 7/1s token-bucket and 6/1s"
            + " and 5/1s sliding-log cells=2",
        """
        at        | do       | answer  | by | used | left | retry     | reset
        0         | 4        | allowed | 5  | 4    | 1    | 0         | 1750001us
        0         | 2        | denied  | 5  | 4    | 1    | 1499999us | 1750001us
        0         | 6        | never   | 5  | 4    | 1    |           | 1750001us
        1499998us | 2        | denied  | 5  | 4    | 1    | 1us       | 250003us
        1499999us | 2        | allowed | 5  | 2    | 3    | 0         | 1000002us
        1499999us | refund 1 | allowed | 5  | 1    | 4    | 0         |
        """);
  }

  @Test
  void givesBackToAllAndForgetsAll() {
    check(
        "5/1s and 8/1m fixed-window and 20/1h token-bucket",
        """
        at    | do       | answer  | by | used | left | retry | reset
        0     | 5        | allowed | 1  | 5    | 0    | 0     | 15m
        2s    | 3        | allowed | 2  | 8    | 0    | 0     |
        2s    | refund 2 | allowed | 2  | 6    | 2    | 0     | 1078s
        2s    | refund 9 | allowed | 1  | 0    | 5    | 0     | 0
        3s    | 5        | allowed | 1  | 5    | 0    | 0     |
        4s    | 5        | denied  | 2  | 5    | 3    | 56s   |
        4s    | reset    | allowed | 1  | 0    | 5    | 0     | 0
        4s    | 5        | allowed | 1  | 5    | 0    | 0     | 15m
        """);
  }

  @Test
  void keysAreApartUnderSeveralLimitsToo() {
    check(
        "2/1s and 3/1m",
        """
        at  | key | do | answer  | by | used | left
        0   | a   | 2  | allowed | 1  | 2    | 0
        0   | b   | 1  | allowed | 1  | 1    | 1
        1s  | a   | 1  | allowed | 2  | 3    | 0
        1s  | a   | 1  | denied  | 2  | 3    | 0
        1s  | b   | 2  | allowed | 1  | 2    | 0
        2s  | b   | 1  | denied  | 2  | 3    | 0
        """);
  }
}
