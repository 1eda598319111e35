package dev.sash.cli;

import dev.sash.RateLimiter;
import java.util.ArrayList;
import java.util.List;

/**
 * What one contender admitted of a scenario.
 *
 * @param contender who decided
 * @param requests what was asked for
 * @param admitted what was allowed of that
 */
record Run(Contender contender, Moments requests, Moments admitted) {
  static Run of(Contender contender, Scenario scenario) {
    SimulatedClock clock = new SimulatedClock();
    RateLimiter limiter = contender.limiter(clock);
    List<Long> admitted = new ArrayList<>();
    for (long time : scenario.requests().toArray()) {
      clock.set(time);
      if (limiter.tryAcquire("client").allowed()) {
        admitted.add(time);
      }
    }
    return new Run(contender, scenario.requests(), Moments.of(admitted));
  }

  String name() {
    return contender.name();
  }

  /** The most permits that any true window admitted. */
  int worst() {
    return admitted.worstUsage(contender.limit().windowMicros());
  }

  boolean isOver() {
    return worst() > contender.limit().permits();
  }

  int denied() {
    return requests.count() - admitted.count();
  }
}
