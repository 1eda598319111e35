package dev.sash.http;

import dev.sash.Decision;
import dev.sash.http.Denial.Reason;
import dev.sash.http.internal.WaitingRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes verdicts of decisions: their fields, and the responses to what is denied. Immutable. */
final class Verdicts {
  private final RateLimitFields fields;
  private final DenialFormat denials;

  Verdicts(RateLimitFields fields, DenialFormat denials) {
    this.fields = fields;
    this.denials = denials;
  }

  /** A verdict on a request that is denied without asking a limiter. */
  Verdict forbidden(RequestSummary request) {
    Denial denial = new Denial(Reason.FORBIDDEN, List.of(), request);
    return Verdict.denied(denials.responseTo(denial), List.of(), Map.of());
  }

  /** A verdict on decisions that were made elsewhere. */
  Verdict on(List<PolicyDecision> decisions, Supplier<RequestSummary> request) {
    return isDenied(decisions)
        ? denied(decisions, request.get())
        : Verdict.allowed(decisions, fields.write(decisions), List.of(), null);
  }

  /**
   * A verdict on a request.
   *
   * @param charges what the request is charged
   * @param decisions the decision of each charge
   * @param request called if it is denied
   * @param earlier the verdict of an earlier limiter; what that charged is refunded if this one
   *     denies
   */
  CompletionStage<Verdict> on(
      List<PendingCharge> charges,
      List<Decision> decisions,
      Supplier<RequestSummary> request,
      @Nullable Verdict earlier) {
    List<PolicyDecision> all = new ArrayList<>(charges.size());
    if (earlier != null) {
      all.addAll(earlier.decisions());
    }
    int own = all.size();
    List<Verdict.Charged> charged = addTo(all, charges, decisions);
    List<PolicyDecision> decided = all.subList(own, all.size());
    if (!isDenied(decided)) {
      return CompletableFuture.completedFuture(
          Verdict.allowed(List.copyOf(all), fields.write(all), charged, earlier));
    }
    return earlier == null
        ? CompletableFuture.completedFuture(denied(decided, request.get()))
        : earlier.refunded().thenApply(before -> denied(joined(before, decided), request.get()));
  }

  /** A verdict on a request that may have waited, and then been charged anew by both limiters. */
  CompletionStage<Verdict> on(
      List<PendingCharge> charges,
      WaitingRequest.Outcome outcome,
      Supplier<RequestSummary> request,
      @Nullable Verdict earlier) {
    if (earlier == null || outcome.repeated() < 0) {
      return on(charges, outcome.decisions(), request, earlier);
    }
    List<Decision> repeated = outcome.decisions().subList(0, outcome.repeated());
    List<Decision> own =
        outcome.decisions().subList(outcome.repeated(), outcome.decisions().size());
    List<PolicyDecision> all = earlier.decisionsAfter(repeated);
    List<Verdict.Charged> charged = addTo(all, charges, own);
    if (isDenied(all)) {
      return CompletableFuture.completedFuture(denied(all, request.get()));
    }
    earlier.chargedAgain(repeated);
    return CompletableFuture.completedFuture(
        Verdict.allowed(List.copyOf(all), fields.write(all), charged, earlier));
  }

  private static List<PolicyDecision> joined(
      List<PolicyDecision> before, List<PolicyDecision> after) {
    List<PolicyDecision> all = new ArrayList<>(before);
    all.addAll(after);
    return all;
  }

  private static boolean isDenied(List<PolicyDecision> decisions) {
    for (PolicyDecision each : decisions) {
      if (!each.decision().allowed()) {
        return true;
      }
    }
    return false;
  }

  private Verdict denied(List<PolicyDecision> decisions, RequestSummary request) {
    DenialResponse response = denials.responseTo(Denial.of(decisions, request));
    return Verdict.denied(response, decisions, fields.write(decisions));
  }

  /** Adds the decisions that responses show, and returns all charges. */
  private static List<Verdict.Charged> addTo(
      List<PolicyDecision> all, List<PendingCharge> charges, List<Decision> decisions) {
    List<Verdict.Charged> charged = new ArrayList<>(charges.size());
    for (int i = 0; i < charges.size(); i++) {
      PendingCharge charge = charges.get(i);
      Decision decision = decisions.get(i);
      charged.add(new Verdict.Charged(charge, decision, charge.isBinding() ? all.size() : -1));
      if (charge.isBinding()) {
        all.add(charge.decided(decision));
      }
    }
    return charged;
  }
}
