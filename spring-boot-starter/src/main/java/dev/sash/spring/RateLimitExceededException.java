package dev.sash.spring;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;
import java.util.Objects;

/**
 * A call did not fit under its policy. Nothing was charged. Does not know who called: keys may be
 * personal data, and exceptions end in logs. Has no stack trace, as it may be thrown very often.
 *
 * <p>Where it leaves a controller, the client gets 429 with the fields and the body of any other
 * denial (503 if the policy fails closed and the store does not answer), unless an {@code
 * ExceptionHandler} of the application answers.
 */
public final class RateLimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String policy;
  private final transient List<Limit> limits;
  private final transient Decision decision;

  /**
   * A denial.
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
