package dev.sash.spring;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;
import java.util.Objects;
import org.springframework.util.ClassUtils;

/**
 * Thrown when a call does not fit under its policy. Nothing was charged. Does not contain the key:
 * keys may be personal data, and exceptions end in logs. Has no stack trace, since it may be thrown
 * very often.
 *
 * <p>Where it leaves a controller, the client receives 429 with the fields and the body of any
 * other denial (503 if the policy fails closed and the store is unavailable), unless an {@code
 * ExceptionHandler} of the application responds. In a web application it is an {@code
 * org.springframework.web.ErrorResponse}, so that a handler of all exceptions finds the status, the
 * header fields and the body there.
 */
public class RateLimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final boolean WEB =
      ClassUtils.isPresent(
          "org.springframework.web.ErrorResponse",
          RateLimitExceededException.class.getClassLoader());

  private final String policy;
  private final transient List<Limit> limits;
  private final transient Decision decision;

  /**
   * Creates an exception that is no {@code ErrorResponse}; see {@link #of}.
   *
   * @param policy the policy's name
   * @param limits the policy's limits for this caller
   * @param decision the answer
   */
  public RateLimitExceededException(String policy, List<Limit> limits, Decision decision) {
    super("policy '" + policy + "': " + decision, null, false, false);
    this.policy = Objects.requireNonNull(policy, "policy must not be null");
    this.limits = List.copyOf(limits);
    this.decision = decision;
  }

  /**
   * Returns the exception to throw.
   *
   * @param policy the policy's name
   * @param limits the policy's limits for this caller
   * @param decision the denial
   * @return an {@code ErrorResponse} if the application has Spring's web support
   */
  public static RateLimitExceededException of(
      String policy, List<Limit> limits, Decision decision) {
    return WEB
        ? new RateLimitErrorResponse(policy, limits, decision)
        : new RateLimitExceededException(policy, limits, decision);
  }

  /**
   * Which policy denied the call.
   *
   * @return its name
   */
  public String policy() {
    return policy;
  }

  /**
   * What held for this caller.
   *
   * @return the policy's limits, or those of the caller's tier
   */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * The answer, which tells when to try again.
   *
   * @return a denial
   */
  public Decision decision() {
    return decision;
  }
}
