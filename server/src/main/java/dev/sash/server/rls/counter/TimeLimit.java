package dev.sash.server.rls.counter;

import dev.sash.RateLimiter;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time in which the stores must have answered for a request, whatever the deadlines of its
 * policies are. Immutable.
 */
public final class TimeLimit {
  /** The longest deadline of a policy: no limit at all. */
  public static final TimeLimit NONE = new TimeLimit(Long.MAX_VALUE);

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** What is left once the time is over: the failure rule then decides almost at once. */
  private static final long SHORTEST_NANOS = 100_000;

  /** Less is not worth another limiter. */
  private static final long TOLERANCE_NANOS = 1_000_000;

  private final long endNanos;

  private TimeLimit(long endNanos) {
    this.endNanos = endNanos;
  }

  /**
   * The limit for a call that its client gives up at some time. A quarter of what is left is kept
   * for the way there and back: 15 ms of the 20 ms of Envoy remain.
   *
   * @param deadline when that is
   */
  public static TimeLimit ofCall(Deadline deadline) {
    return of(deadline.timeRemaining(TimeUnit.NANOSECONDS));
  }

  /** The limit for a call that its client gives up after some time. */
  static TimeLimit of(long nanos) {
    return nanos >= LONGEST.toNanos() ? NONE : new TimeLimit(System.nanoTime() + nanos / 4 * 3);
  }

  @SuppressWarnings("ReferenceEquality") // there is one
  private boolean isNone() {
    return this == NONE;
  }

  /** What is left of it. */
  Duration left() {
    if (isNone()) {
      return LONGEST;
    }
    return Duration.ofNanos(Math.max(SHORTEST_NANOS, endNanos - System.nanoTime()));
  }

  /** A limiter that does not wait longer for its store. */
  RateLimiter bounding(RateLimiter limiter) {
    if (isNone()) {
      return limiter;
    }
    Duration left = left();
    Duration longest = limiter.policy().deadline().plus(limiter.policy().grace());
    boolean enough = left.plusNanos(TOLERANCE_NANOS).compareTo(longest) >= 0;
    return enough ? limiter : limiter.waitingAtMost(left);
  }
}
