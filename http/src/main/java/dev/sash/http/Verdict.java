package dev.sash.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The answer to a request: whether it may go on, and what to write to the response either way. An
 * adapter copies it:
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

  /** What is charged, in the order of the decisions; empty if nothing is. */
  private final List<Asking> charged;

  private final AtomicBoolean settled = new AtomicBoolean();

  private Verdict(
      int status,
      List<PolicyDecision> decisions,
      Map<String, String> headers,
      String body,
      List<Asking> charged) {
    this.status = status;
    this.decisions = decisions;
    this.headers = Collections.unmodifiableMap(headers);
    this.body = body;
    this.charged = charged;
  }

  static Verdict allowed(
      List<PolicyDecision> decisions, Map<String, String> headers, List<Asking> charged) {
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
   * Whether the request may go on.
   *
   * @return false if it is to be answered with {@link #status} and {@link #body}
   */
  public boolean allowed() {
    return status == 200;
  }

  /**
   * The status of the response to a request that may not go on.
   *
   * @return 429 over a limit; 503 if a policy that fails closed could not be asked; 403 on a deny
   *     list; 200 if the request may go on, and the application says what the status is
   */
  public int status() {
    return status;
  }

  /**
   * The header fields to set.
   *
   * @return unmodifiable, in order; empty if the request is not limited
   */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * The content of the response, in UTF-8.
   *
   * @return empty if the request may go on
   */
  public String body() {
    return body;
  }

  /**
   * What each policy said, in the order in which they were asked.
   *
   * @return unmodifiable; empty if the request is not limited
   */
  public List<PolicyDecision> decisions() {
    return decisions;
  }

  /**
   * Whether some charge depends on the response's status, so that {@link #settle} has to be called.
   *
   * @return true if it does
   */
  public boolean dependsOnStatus() {
    for (Asking asking : charged) {
      if (asking.statuses() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * The response is done: gives back what is charged for other statuses only. Does not block; only
   * the first call of this or {@link #giveBack} does anything.
   *
   * @param responseStatus the response's status
   */
  public void settle(int responseStatus) {
    giveBackIf(asking -> !asking.isKeptAfter(responseStatus));
  }

  /**
   * The request will not be handled after all: gives back everything. Does not block; only the
   * first call of this or {@link #settle} does anything.
   */
  public void giveBack() {
    giveBackIf(asking -> true);
  }

  private void giveBackIf(Predicate<Asking> condition) {
    if (!settled.compareAndSet(false, true)) {
      return;
    }
    for (int i = 0; i < charged.size(); i++) {
      if (condition.test(charged.get(i))) {
        var unused = AllOrNothing.giveBack(charged.get(i), decisions.get(i).decision());
      }
    }
  }

  /** The status and the decisions, for people; without keys. */
  @Override
  public String toString() {
    return (allowed() ? "allowed" : "denied with " + status)
        + " "
        + decisions.stream().map(answer -> answer.policy() + ": " + answer.decision()).toList();
  }
}
