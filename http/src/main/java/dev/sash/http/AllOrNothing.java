package dev.sash.http;

import dev.sash.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Several policies on one request: all are charged, or none.
 *
 * <p>Their limiters may live in different stores, so there is no single step for it. They are
 * charged in turn until one denies. The others then are only looked at, so that the response names
 * every policy that stands in the way and the longest wait; and what was charged is given back. In
 * between a policy is charged for a request that is not admitted, a moment of over-charging; never
 * is a request admitted that is not charged to all.
 *
 * <p>No thread waits. One object per request.
 */
final class AllOrNothing {
  private final List<Asking> askings;
  private final Decision[] decisions;
  private int charged;

  private AllOrNothing(List<Asking> askings) {
    this.askings = askings;
    this.decisions = new Decision[askings.size()];
  }

  /** Completes with a decision for each asking; the request is admitted if all are allowed. */
  static CompletableFuture<List<PolicyDecision>> charge(List<Asking> askings) {
    if (askings.size() == 1) {
      Asking only = askings.get(0); // all of it, or nothing, by itself
      return only.ask(only.permits()).thenApply(decision -> List.of(only.answered(decision)));
    }
    AllOrNothing all = new AllOrNothing(askings);
    return all.chargeFrom(0)
        .handle((done, failure) -> failure == null ? null : failure)
        .thenCompose(all::finished);
  }

  private CompletableFuture<Void> chargeFrom(int i) {
    if (i == askings.size()) {
      return done();
    }
    Asking asking = askings.get(i);
    return asking
        .ask(asking.permits())
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              if (!decision.allowed()) {
                return lookFrom(i + 1).thenCompose(looked -> giveBack());
              }
              charged = i + 1;
              return chargeFrom(i + 1);
            });
  }

  /** What does not fit is asked for in earnest: a denial costs nothing and tells the wait. */
  private CompletableFuture<Void> lookFrom(int i) {
    if (i == askings.size()) {
      return done();
    }
    Asking asking = askings.get(i);
    return asking
        .ask(0)
        .thenCompose(
            seen ->
                seen.allowed() && seen.remaining() < asking.permits()
                    ? asking.ask(asking.permits()).thenCompose(answer -> undone(asking, answer))
                    : CompletableFuture.completedFuture(seen))
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              return lookFrom(i + 1);
            });
  }

  /** Room came up between looking and asking. */
  private static CompletableFuture<Decision> undone(Asking asking, Decision answer) {
    return answer.allowed() ? asking.giveBack(answer) : CompletableFuture.completedFuture(answer);
  }

  private CompletableFuture<Void> giveBack() {
    List<CompletableFuture<?>> refunds = new ArrayList<>();
    for (int i = 0; i < charged; i++) {
      int place = i;
      refunds.add(
          askings.get(i).giveBack(decisions[i]).thenAccept(after -> decisions[place] = after));
    }
    charged = 0;
    return CompletableFuture.allOf(refunds.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<List<PolicyDecision>> finished(@Nullable Throwable failure) {
    if (failure != null) {
      return giveBack().thenApply(given -> rethrown(failure));
    }
    List<PolicyDecision> answers = new ArrayList<>();
    for (int i = 0; i < decisions.length; i++) {
      answers.add(askings.get(i).answered(decisions[i]));
    }
    return CompletableFuture.completedFuture(List.copyOf(answers));
  }

  private static List<PolicyDecision> rethrown(Throwable failure) {
    throw failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
