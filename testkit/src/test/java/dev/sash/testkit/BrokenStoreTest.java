package dev.sash.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.MicroClock;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.store.Decisions;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.testkit.HistoryChecker.Kind;
import dev.sash.testkit.HistoryChecker.Violation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Stores that are wrong in the usual ways are detected by their histories. */
class BrokenStoreTest {
  private static final Limit LIMIT = Limit.parse("100/1ms");
  private static final int DECISIONS = 200_000;

  @Test
  void aSoundOneIsNot() throws Exception {
    assertThat(faults(naive(1_000, false, false))).isEmpty();
  }

  @Test
  void onePermitTooMany() throws Exception {
    assertThat(faults(inMemory("101/1ms"))).contains(Kind.OVER_LIMIT);
  }

  @Test
  void onePermitTooFew() throws Exception {
    assertThat(faults(inMemory("99/1ms"))).contains(Kind.FALSE_DENIAL);
  }

  @Test
  void aWindowThatIsTooShort() throws Exception {
    assertThat(faults(naive(950, false, false))).contains(Kind.OVER_LIMIT);
  }

  @Test
  void aWindowThatIsTooLong() throws Exception {
    assertThat(faults(naive(1_050, false, false))).contains(Kind.FALSE_DENIAL);
  }

  @Test
  void checkingAndRecordingInTwoSteps() throws Exception {
    assertThat(faults(naive(1_000, true, false))).contains(Kind.OVER_LIMIT);
  }

  @Test
  void recordingDeniedRequests() throws Exception {
    assertThat(faults(naive(1_000, false, true))).contains(Kind.FALSE_DENIAL);
  }

  @Test
  void otherAlgorithms() throws Exception {
    assertThat(faults(inMemory("100/1ms fixed-window"))).contains(Kind.OVER_LIMIT);
    assertThat(faults(inMemory("100/1ms token-bucket"))).contains(Kind.OVER_LIMIT);
    assertThat(faults(inMemory("100/1ms sliding-counter"))).contains(Kind.FALSE_DENIAL);
  }

  private static RateLimiter inMemory(String limit) {
    return Sash.inMemory(Limit.parse(limit));
  }

  private static RateLimiter naive(long window, boolean inTwoSteps, boolean recordsDenials) {
    return new NaiveLog(window, inTwoSteps, recordsDenials).limiter(Policy.of("naive", LIMIT));
  }

  private static Set<Kind> faults(RateLimiter limiter) throws InterruptedException {
    List<History> histories = new Crowd(4, 2, 1).ask(limiter, MicroClock.system(), DECISIONS);
    return histories.stream()
        .flatMap(history -> HistoryChecker.check(history, LIMIT).stream())
        .map(Violation::kind)
        .collect(Collectors.toSet());
  }

  /** A log of {@link #LIMIT} as one would write it, with faults to choose from. */
  private static final class NaiveLog implements Store {
    private final Map<String, Deque<Long>> logs = new ConcurrentHashMap<>();
    private final long window;
    private final boolean inTwoSteps;
    private final boolean recordsDenials;

    NaiveLog(long window, boolean inTwoSteps, boolean recordsDenials) {
      this.window = window;
      this.inTwoSteps = inTwoSteps;
      this.recordsDenials = recordsDenials;
    }

    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      Deque<Long> log = logs.computeIfAbsent(key, k -> new ArrayDeque<>());
      if (inTwoSteps) {
        long used = used(log, clock().micros());
        for (int i = 0; i < 50; i++) {
          Thread.onSpinWait(); // so that others come in between
        }
        return decide(log, used);
      }
      synchronized (log) {
        return decide(log, used(log, clock().micros()));
      }
    }

    private long used(Deque<Long> log, long now) {
      synchronized (log) {
        while (!log.isEmpty() && log.getFirst() <= now - window) {
          log.removeFirst();
        }
        return log.size();
      }
    }

    private Decision decide(Deque<Long> log, long used) {
      boolean fits = used + 1 <= LIMIT.permits();
      if (fits || recordsDenials) {
        synchronized (log) {
          log.addLast(clock().micros());
        }
      }
      return fits
          ? Decisions.allowed(LIMIT, used + 1, 0, 0, Source.STORE)
          : Decisions.denied(LIMIT, used, 0, 1, 1, Source.STORE);
    }
  }
}
