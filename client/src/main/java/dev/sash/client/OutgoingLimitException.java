package dev.sash.client;

import dev.sash.Decision;
import java.io.IOException;
import java.time.Duration;

/**
 * Thrown when a call to another service was not made, because it would have had to wait for too
 * long. Nothing was sent, and no permit was spent.
 */
public final class OutgoingLimitException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why a call was not made. */
  public enum Reason {
    /** The limit on calls to this origin is used up. */
    LIMIT,
    /** A response of this origin has said when to call again, and that is too far ahead. */
    PAUSE,
    /** As many calls as are allowed to wait are waiting already. */
    TOO_MANY_WAITING
  }

  private final String origin;
  private final Reason reason;
  private final Duration retryAfter;

  OutgoingLimitException(String origin, Reason reason, Duration retryAfter, String details) {
    super("call to " + origin + " was not made: " + details);
    this.origin = origin;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /**
   * Returns the origin that was not called.
   *
   * @return scheme, host and port, such as {@code https://api.example.com} or {@code
   *     http://localhost:8080}; without a port that is the default of the scheme
   */
  public String origin() {
    return origin;
  }

  /**
   * Returns why the call was not made.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns how long to wait before another attempt.
   *
   * @return the least time after which a call can be made, as far as is known; {@link
   *     Decision#NEVER} if the policy admits none
   */
  public Duration retryAfter() {
    return retryAfter;
  }

  static Duration durationOf(long micros) {
    return micros == Long.MAX_VALUE
        ? Decision.NEVER
        : Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }
}
