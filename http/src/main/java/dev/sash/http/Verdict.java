package dev.sash.http;

import dev.sash.AllOrNothing;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The result for a request: whether it is admitted, and what to write to the response. An adapter
 * copies it:
 *
 * <pre>{@code
 * verdict.headers().forEach(response::setHeader);
 * if (verdict.allowed()) {
 *   handle(request, response);
 *   verdict.settle(response.status());
 * } else {
 *   response.write(verdict.status(), verdict.body());
 * }
 * }</pre>
 */
public final class Verdict {
  private final int status;
  private final List<PolicyDecision> decisions;
  private final Map<String, String> headers;
  private final String body;

  /** In the order of the decisions, which are their receipts; empty if nothing is charged. */
  private final List<PendingCharge> charged;

  private final AtomicBoolean settled = new AtomicBoolean();

  private Verdict(
      int status,
      List<PolicyDecision> decisions,
      Map<String, String> headers,
      String body,
      List<PendingCharge> charged) {
    this.status = status;
    this.decisions = decisions;
    this.headers = Collections.unmodifiableMap(headers);
    this.body = body;
    this.charged = charged;
  }

  static Verdict allowed(
      List<PolicyDecision> decisions, Map<String, String> headers, List<PendingCharge> charged) {
    return new Verdict(200, decisions, headers, "", charged);
  }

  static Verdict denied(
      DenialBody.Problem problem,
      List<PolicyDecision> decisions,
      Map<String, String> fields,
      List<String> accept) {
    DenialBody body = DenialBody.of(problem, decisions, accept);
    Map<String, String> headers = new LinkedHashMap<>(fields);
    headers.put("Cache-Control", "no-store");
    headers.put("Content-Type", body.contentType());
    return new Verdict(problem.status, decisions, headers, body.text(), List.of());
  }

  /**
   * Returns whether the request is admitted.
   *
   * @return false if the response is {@link #status} and {@link #body}
   */
  public boolean allowed() {
    return status == 200;
  }

  /**
   * Returns the status of the response to a denied request.
   *
   * @return 429 over a limit; 503 if the store is unavailable and the policy's failure rule is
   *     {@code CLOSED}; 403 on a deny list; 200 if the request is admitted, and then the
   *     application sets the status
   */
  public int status() {
    return status;
  }

  /**
   * Returns the header fields to set.
   *
   * @return unmodifiable, in order; empty if the request is not limited
   */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * Returns the content of the response.
   *
   * @return to be written in UTF-8; empty if the request is admitted
   */
  public String body() {
    return body;
  }

  /**
   * Returns the decision of each policy.
   *
   * @return unmodifiable, in the order of the charges; empty if the request is not limited
   */
  public List<PolicyDecision> decisions() {
    return decisions;
  }

  /**
   * Returns whether a charge depends on the response's status.
   *
   * @return true if {@link #settle} must be called
   */
  public boolean dependsOnStatus() {
    for (PendingCharge charge : charged) {
      if (charge.statuses() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Refunds, after the response, what is charged for other statuses only. Does not block; only the
   * first call of this or {@link #giveBack} has an effect.
   *
   * @param responseStatus the response's status
   */
  public void settle(int responseStatus) {
    refundIf(charge -> !charge.isKeptAfter(responseStatus));
  }

  /**
   * Refunds everything, because the request will not be handled after all. Does not block; only the
   * first call of this or {@link #settle} has an effect.
   */
  public void giveBack() {
    refundIf(charge -> true);
  }

  private void refundIf(Predicate<PendingCharge> condition) {
    if (!settled.compareAndSet(false, true)) {
      return;
    }
    for (int i = 0; i < charged.size(); i++) {
      if (condition.test(charged.get(i))) {
        var unused = AllOrNothing.refund(charged.get(i), decisions.get(i).decision());
      }
    }
  }

  /** Returns the status and the decisions, without keys. */
  @Override
  public String toString() {
    return (allowed() ? "allowed" : "denied with " + status)
        + " "
        + decisions.stream().map(each -> each.policy() + ": " + each.decision()).toList();
  }
}
