package dev.sash.http;

import dev.sash.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
public final class AllOrNothing {
  private static final Logger LOG = LoggerFactory.getLogger(AllOrNothing.class);

  /** What one policy is asked for a request. */
  public interface Part {
    /**
     * Which policy.
     *
     * @return its name
     */
    String policy();

    /**
     * How much the request costs.
     *
     * @return the permits
     */
    long permits();

    /**
     * Asks for permits.
     *
     * @param howMany all of them, or 0 to look
     * @return completes with the decision
     */
    CompletionStage<Decision> ask(long howMany);

    /**
     * Gives back all of them.
     *
     * @return completes with the state afterwards
     */
    CompletionStage<Decision> refund();

    /**
     * Whether the request is denied if this policy denies it.
     *
     * @return false if the policy only watches: the others are charged whatever it says
     */
    default boolean isBinding() {
      return true;
    }
  }

  private final List<? extends Part> parts;
  private final Decision[] decisions;
  private int charged;

  private AllOrNothing(List<? extends Part> parts) {
    this.parts = parts;
    this.decisions = new Decision[parts.size()];
  }

  /**
   * Charges all, or none.
   *
   * @param parts in the order in which they are charged
   * @return completes with a decision for each, in the same order; the request is admitted if all
   *     that are binding are allowed. If one is not, that of a policy with room is its state once
   *     everything was given back. If one fails, completes with its failure, and nothing is charged
   */
  public static CompletableFuture<List<Decision>> charge(List<? extends Part> parts) {
    if (parts.size() == 1) {
      Part only = parts.get(0); // all of it, or nothing, by itself
      return ask(only, only.permits()).thenApply(List::of);
    }
    AllOrNothing all = new AllOrNothing(parts);
    return all.chargeFrom(0)
        .handle((done, failure) -> failure == null ? null : failure)
        .thenCompose(all::finished);
  }

  private CompletableFuture<Void> chargeFrom(int i) {
    if (i == parts.size()) {
      return done();
    }
    Part part = parts.get(i);
    return ask(part, part.permits())
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              if (!decision.allowed() && part.isBinding()) {
                return lookFrom(i + 1).thenCompose(looked -> giveBack());
              }
              charged = i + 1;
              return chargeFrom(i + 1);
            });
  }

  /** What does not fit is asked for in earnest: a denial costs nothing and tells the wait. */
  private CompletableFuture<Void> lookFrom(int i) {
    if (i == parts.size()) {
      return done();
    }
    Part part = parts.get(i);
    return ask(part, 0)
        .thenCompose(
            seen ->
                seen.allowed() && seen.remaining() < part.permits()
                    ? ask(part, part.permits()).thenCompose(answer -> giveBack(part, answer))
                    : CompletableFuture.completedFuture(seen))
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              return lookFrom(i + 1);
            });
  }

  private CompletableFuture<Void> giveBack() {
    List<CompletableFuture<?>> refunds = new ArrayList<>();
    for (int i = 0; i < charged; i++) {
      int place = i;
      refunds.add(
          giveBack(parts.get(i), decisions[i]).thenAccept(after -> decisions[place] = after));
    }
    charged = 0;
    return CompletableFuture.allOf(refunds.toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Gives back what a decision charged; completes with the state afterwards, or with that decision
   * if nothing was charged or could be given back.
   *
   * <p>A failure rule admits without charging anybody. To give that back to a store which has
   * recovered meanwhile would forgive what others have spent.
   */
  static CompletableFuture<Decision> giveBack(Part part, Decision decision) {
    if (!decision.allowed()
        || part.permits() == 0
        || decision.source() == Decision.Source.FAILURE_RULE) {
      return CompletableFuture.completedFuture(decision);
    }
    return future(part::refund)
        .handle(
            (after, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "policy '{}' could not be given back {} permits",
                    part.policy(),
                    part.permits(),
                    failure);
              }
              return after != null && after.allowed() ? after : decision;
            });
  }

  private CompletableFuture<List<Decision>> finished(@Nullable Throwable failure) {
    return failure == null
        ? CompletableFuture.completedFuture(List.of(decisions))
        : giveBack().thenApply(given -> rethrown(failure));
  }

  private static List<Decision> rethrown(Throwable failure) {
    throw failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }

  private static CompletableFuture<Decision> ask(Part part, long howMany) {
    return future(() -> part.ask(howMany));
  }

  /** A limiter that throws at once has failed like one that fails later. */
  private static CompletableFuture<Decision> future(Supplier<CompletionStage<Decision>> call) {
    try {
      return call.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
