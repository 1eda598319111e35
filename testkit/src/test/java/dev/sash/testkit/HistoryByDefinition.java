package dev.sash.testkit;

import dev.sash.Limit;

/** What {@link HistoryChecker} finds quickly, slowly and word for word. */
final class HistoryByDefinition {
  private HistoryByDefinition() {}

  /** The most permits that were certainly admitted in any window (t - W, t]. */
  static long mostInAnyWindow(History history, long window) {
    long most = 0;
    for (int last = 0; last < history.size(); last++) {
      long time = history.responded(last);
      long sum = 0;
      for (int i = 0; i < history.size(); i++) {
        boolean inside = history.invoked(i) > time - window && history.responded(i) <= time;
        sum += inside && history.isAllowed(i) ? history.permits(i) : 0;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** How many requests were denied though they fitted, wherever in its interval each happened. */
  static long falseDenials(History history, Limit limit) {
    long found = 0;
    for (int denied = 0; denied < history.size(); denied++) {
      if (history.isAllowed(denied)) {
        continue;
      }
      long most = 0;
      for (int i = 0; i < history.size(); i++) {
        boolean perhaps =
            history.responded(i) > history.invoked(denied) - limit.windowMicros()
                && history.invoked(i) <= history.responded(denied);
        most += perhaps && history.isAllowed(i) ? history.permits(i) : 0;
      }
      found += most + history.permits(denied) <= limit.permits() ? 1 : 0;
    }
    return found;
  }
}
