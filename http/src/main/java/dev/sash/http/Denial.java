package dev.sash.http;

import dev.sash.Decision;
import java.util.List;

/**
 * Why a request is denied, for a {@link DenialFormat}. Thread-safe.
 *
 * <p>Keys may be personal data: {@link PolicyDecision#key} does not belong in responses.
 */
public final class Denial {
  private static final String PROBLEMS = "https://iana.org/assignments/http-problem-types#";

  /** The kinds of denials. */
  public enum Reason {
    /** The request does not fit under a limit. */
    QUOTA_EXCEEDED(429, PROBLEMS + "quota-exceeded", "Too Many Requests"),
    /** The store is unavailable and the failure rule is {@code CLOSED}. */
    REDUCED_CAPACITY(503, PROBLEMS + "temporary-reduced-capacity", "Service Unavailable"),
    /** The client or its key is on a deny list. */
    FORBIDDEN(403, "about:blank", "Forbidden");

    private final int status;
    private final String type;
    private final String title;

    Reason(int status, String type, String title) {
      this.status = status;
      this.type = type;
      this.title = title;
    }

    /**
     * Returns the standard status.
     *
     * @return 429, 503 or 403
     */
    public int status() {
      return status;
    }

    /**
     * Returns the standard problem type (RFC 9457).
     *
     * @return a URI
     */
    public String type() {
      return type;
    }

    /**
     * Returns the standard title.
     *
     * @return the reason phrase of the status
     */
    public String title() {
      return title;
    }
  }

  private final Reason reason;
  private final List<PolicyDecision> decisions;
  private final RequestSummary request;

  Denial(Reason reason, List<PolicyDecision> decisions, RequestSummary request) {
    this.reason = reason;
    this.decisions = decisions;
    this.request = request;
  }

  /**
   * Returns the denial that decisions amount to, for code that writes responses itself.
   *
   * @param decisions the decision of each policy, of which one or more deny
   * @return {@link Reason#REDUCED_CAPACITY} if only failure rules deny, else {@link
   *     Reason#QUOTA_EXCEEDED}
   */
  public static Denial of(List<PolicyDecision> decisions) {
    return of(List.copyOf(decisions), new RequestSummary("", List.of()));
  }

  static Denial of(List<PolicyDecision> decisions, RequestSummary request) {
    boolean isOverLimit =
        decisions.stream()
            .map(PolicyDecision::decision)
            .anyMatch(
                decision ->
                    !decision.allowed()
                        && (decision.source() != Decision.Source.FAILURE_RULE
                            || decision.neverAllowed()));
    return new Denial(
        isOverLimit ? Reason.QUOTA_EXCEEDED : Reason.REDUCED_CAPACITY, decisions, request);
  }

  /**
   * Returns the kind of denial.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns the decision of each policy.
   *
   * @return unmodifiable; empty if the client is on a deny list
   */
  public List<PolicyDecision> decisions() {
    return decisions;
  }

  /**
   * Returns the names of the limits that the request does not fit under.
   *
   * @return the policy's name, with several limits of one policy also what distinguishes them
   */
  public List<String> violated() {
    return decisions.stream()
        .filter(answer -> !answer.decision().allowed())
        .map(PolicyDecision::name)
        .distinct()
        .toList();
  }

  /**
   * Returns when to retry.
   *
   * @return the seconds, rounded up; 0 if the request can never fit or nobody knows
   */
  public long retryAfterSeconds() {
    return RateLimitFields.retryAfterSeconds(decisions);
  }

  /**
   * Returns a sentence for people.
   *
   * @return such as {@code Limit api exceeded. Try again in 40 seconds.}; may be empty
   */
  public String detail() {
    return DenialBody.detail(this);
  }

  /**
   * Returns the path of the request as it was sent. It is the client's text: escape it.
   *
   * @return the path without the query; empty if it is not known
   */
  public String path() {
    return request.path();
  }

  /**
   * Returns the standard response: a problem (RFC 9457), or the same in plain text or HTML if the
   * client prefers that.
   *
   * @return the response
   */
  public DenialResponse standard() {
    return standard(reason.status, reason.type, reason.title);
  }

  /**
   * Returns the standard response with another status, type and title.
   *
   * @param status 400 to 599
   * @param type the problem type, a URI
   * @param title the title
   * @return the response
   */
  public DenialResponse standard(int status, String type, String title) {
    return DenialBody.of(this, new DenialBody.Problem(status, type, title), request.accept());
  }
}
