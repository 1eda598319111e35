package dev.sash.cli;

import dev.sash.Decision;
import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Traffic of one client, each request for one permit.
 *
 * @param title what it is, for people
 * @param requests when each request comes
 */
record Scenario(String title, Moments requests) {
  private static final long SECOND = 1_000_000;

  /** All the permits a second before a window ends, and again a second after. */
  static Scenario burstsAroundABoundary(int permits, long window) {
    List<Long> times = new ArrayList<>();
    times.addAll(Collections.nCopies(permits, window - SECOND));
    times.addAll(Collections.nCopies(permits, window + SECOND));
    String title =
        String.format(
            "Two bursts around a boundary: %d requests at %s, %d at %s",
            permits, Report.minutes(window - SECOND), permits, Report.minutes(window + SECOND));
    return new Scenario(title, Moments.of(times));
  }

  /** One request each W/L: exactly the limit, and never more than it in any true window. */
  static Scenario steadyStream(int permits, long window, int windows) {
    long pause = window / permits;
    List<Long> times = new ArrayList<>();
    for (long time = 0; time < windows * window; time += pause) {
      times.add(time);
    }
    String title =
        String.format(
            "A steady stream, just at the limit: %d requests, one every %d ms",
            times.size(), pause / 1_000);
    return new Scenario(title, Moments.of(times));
  }

  /**
   * All the permits in the last tick of a window, then through the next window each one as soon as
   * the victim admits it. The attacker needs no arithmetic: retry-after tells the moment.
   */
  static Scenario attackOn(Contender victim) {
    long window = victim.limit().windowMicros();
    SimulatedClock clock = new SimulatedClock();
    RateLimiter limiter = victim.limiter(clock);
    List<Long> times = new ArrayList<>();
    long now = window - 1;
    while (now < 2 * window) {
      clock.set(now);
      Decision decision = limiter.tryAcquire("attacker");
      if (decision.allowed()) {
        times.add(now);
      } else {
        now += TimeUnit.MICROSECONDS.convert(decision.retryAfter());
      }
    }
    String title =
        String.format(
            "Attack on the %s: %d just before %s, then each once it fits",
            victim.name(), victim.limit().permits(), Report.minutes(window));
    return new Scenario(title, Moments.of(times));
  }
}
