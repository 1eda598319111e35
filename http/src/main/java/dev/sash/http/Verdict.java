package dev.sash.http;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
  /**
   * A charge of an admitted request.
   *
   * @param charge the charge
   * @param receipt the decision that made it
   * @param place of the policy's decision in the verdict; negative if the verdict does not show it
   */
  record Charged(PendingCharge charge, Decision receipt, int place) {}

  /** For requests that are not limited. */
  static final Verdict NOT_LIMITED =
      new Verdict(200, List.of(), Map.of(), "", List.of(), null, false);

  /** For requests that no limiter limits, since their client or key is on an allow list. */
  static final Verdict EXEMPT = new Verdict(200, List.of(), Map.of(), "", List.of(), null, true);

  private final int status;
  private final List<PolicyDecision> decisions;
  private final Map<String, String> headers;
  private final String body;

  private volatile List<Charged> charged;

  /** The verdict of a limiter that was called before; null if there was none. */
  private final @Nullable Verdict earlier;

  private final boolean exempt;
  private final AtomicBoolean settled = new AtomicBoolean();
  private final AtomicBoolean loginSettled = new AtomicBoolean();
  private volatile boolean loginFailed;
  private volatile boolean loginRefunded;

  private Verdict(
      int status,
      List<PolicyDecision> decisions,
      Map<String, String> headers,
      String body,
      List<Charged> charged,
      @Nullable Verdict earlier,
      boolean exempt) {
    this.status = status;
    this.decisions = decisions;
    this.headers = Collections.unmodifiableMap(headers);
    this.body = body;
    this.charged = charged;
    this.earlier = earlier;
    this.exempt = exempt;
  }

  /**
   * Returns the verdict on an admitted request.
   *
   * @param decisions those of the earlier verdict, and then those of the charges
   */
  static Verdict allowed(
      List<PolicyDecision> decisions,
      Map<String, String> headers,
      List<Charged> charged,
      @Nullable Verdict earlier) {
    return new Verdict(200, decisions, headers, "", charged, earlier, false);
  }

  static Verdict denied(
      DenialResponse response, List<PolicyDecision> decisions, Map<String, String> fields) {
    Map<String, String> headers = new LinkedHashMap<>(fields);
    headers.put("Cache-Control", "no-store");
    headers.put("Content-Type", response.contentType());
    return new Verdict(
        response.status(), decisions, headers, response.body(), List.of(), null, false);
  }

  /** Returns this verdict, which charges nothing, with the decisions of an earlier one. */
  Verdict after(Verdict before) {
    return new Verdict(
        200, before.decisions, before.headers, "", List.of(), before, exempt || before.exempt);
  }

  /** Returns whether no further limiter limits the request. */
  boolean isExempt() {
    return exempt;
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
   * @return unless a {@link DenialFormat} chooses another one: 429 over a limit; 503 if the store
   *     is unavailable and the policy's failure rule is {@code CLOSED}; 403 on a deny list. 200 if
   *     the request is admitted, and then the application sets the status
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
   * @return unmodifiable, in the order of the charges, those of an earlier limiter first; empty if
   *     the request is not limited
   */
  public List<PolicyDecision> decisions() {
    return decisions;
  }

  /**
   * Returns whether a charge depends on the outcome of the request: on the status of the response,
   * or on whether a login failed.
   *
   * @return true if {@link #settle} must be called
   */
  public boolean dependsOnOutcome() {
    for (Charged each : charged) {
      if (each.charge().kept() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Records that the request tried to log in and failed. To be called before {@link #settle}, for
   * charges with {@link Charge#onlyIfLoginFailed}.
   */
  public void loginFailed() {
    if (!charged.isEmpty()) {
      loginFailed = true;
    }
    if (earlier != null) {
      earlier.loginFailed();
    }
  }

  /**
   * Records that the request has logged in, and refunds what is charged for failed logins only
   * without waiting for the response. Does not block.
   */
  public void loginSucceeded() {
    if (!loginFailed) {
      loginRefunded = true;
      var unused = refundIf(PendingCharge::isForFailedLogin);
    }
    if (earlier != null) {
      earlier.loginSucceeded();
    }
  }

  /** Returns whether the request is charged to a policy for a failed login. */
  boolean chargesFailedLoginTo(String policy) {
    return (!loginRefunded
            && charged.stream()
                .map(Charged::charge)
                .anyMatch(charge -> charge.isForFailedLogin() && charge.policy().equals(policy)))
        || (earlier != null && earlier.chargesFailedLoginTo(policy));
  }

  /**
   * Refunds, after the response, what is charged for other outcomes only. The verdict of an earlier
   * limiter is settled by itself. Does not block; only the first call of this or {@link #giveBack}
   * has an effect.
   *
   * @param responseStatus the response's status
   */
  public void settle(int responseStatus) {
    var unused = refundOnceIf(charge -> !charge.isKeptAfter(responseStatus, loginFailed));
  }

  /**
   * Refunds everything, because the request will not be handled after all, including what an
   * earlier limiter charged. Does not block; only the first call of this or {@link #settle} has an
   * effect.
   */
  public void giveBack() {
    var unused = refunded();
  }

  /** Refunds everything, and returns the decisions after that. */
  CompletionStage<List<PolicyDecision>> refunded() {
    CompletableFuture<List<PolicyDecision>> own = refundOnceIf(charge -> true);
    return earlier == null
        ? own
        : earlier
            .refunded()
            .thenCombine(
                own,
                (before, after) -> {
                  List<PolicyDecision> all = new ArrayList<>(before);
                  all.addAll(after.subList(before.size(), after.size()));
                  return all;
                });
  }

  /**
   * Returns the charges to make again after {@link #refunded}, when the request has waited for
   * another policy: those of earlier limiters first, without those that a login has refunded.
   */
  List<PendingCharge> chargesToRepeat() {
    List<PendingCharge> all =
        earlier == null ? new ArrayList<>() : new ArrayList<>(earlier.chargesToRepeat());
    for (Charged each : charged) {
      if (isRepeated(each)) {
        all.add(each.charge());
      }
    }
    return all;
  }

  private boolean isRepeated(Charged each) {
    return !loginRefunded || !each.charge().isForFailedLogin();
  }

  /** Returns the decisions with those on the {@linkplain #chargesToRepeat repeated} charges. */
  List<PolicyDecision> decisionsAfter(List<Decision> repeated) {
    List<PolicyDecision> all = new ArrayList<>(decisions);
    replace(all, repeated.iterator());
    return all;
  }

  private void replace(List<PolicyDecision> all, Iterator<Decision> repeated) {
    if (earlier != null) {
      earlier.replace(all, repeated);
    }
    for (Charged each : charged) {
      if (isRepeated(each)) {
        Decision decision = repeated.next();
        if (each.place() >= 0) {
          all.set(each.place(), each.charge().decided(decision));
        }
      }
    }
  }

  /** Records that the {@linkplain #chargesToRepeat repeated} charges were made, to be settled. */
  void chargedAgain(List<Decision> repeated) {
    chargedAgain(repeated.iterator());
  }

  private void chargedAgain(Iterator<Decision> repeated) {
    if (earlier != null) {
      earlier.chargedAgain(repeated);
    }
    List<Charged> again = new ArrayList<>(charged.size());
    for (Charged each : charged) {
      again.add(
          isRepeated(each) ? new Charged(each.charge(), repeated.next(), each.place()) : each);
    }
    charged = again;
    loginSettled.set(loginRefunded);
    settled.set(false);
  }

  private CompletableFuture<List<PolicyDecision>> refundOnceIf(Predicate<PendingCharge> condition) {
    return charged.isEmpty() || !settled.compareAndSet(false, true)
        ? CompletableFuture.completedFuture(decisions)
        : refundIf(condition);
  }

  private CompletableFuture<List<PolicyDecision>> refundIf(Predicate<PendingCharge> condition) {
    boolean settlesLogins = loginSettled.compareAndSet(false, true);
    List<PolicyDecision> after = new ArrayList<>(decisions);
    List<CompletableFuture<?>> refunds = new ArrayList<>();
    for (Charged each : charged) {
      PendingCharge charge = each.charge();
      if (condition.test(charge) && (settlesLogins || !charge.isForFailedLogin())) {
        refunds.add(
            AllOrNothing.refund(charge, each.receipt())
                .thenAccept(
                    decision -> {
                      if (each.place() >= 0) {
                        after.set(each.place(), charge.decided(decision));
                      }
                    }));
      }
    }
    return CompletableFuture.allOf(refunds.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> after);
  }

  /** Returns the status and the decisions, without keys. */
  @Override
  public String toString() {
    return (allowed() ? "allowed" : "denied with " + status)
        + " "
        + decisions.stream().map(each -> each.policy() + ": " + each.decision()).toList();
  }
}
