package dev.sash;

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
 * Charges several policies for one request: all of them, or none.
 *
 * <p>Their limiters may use different stores, so this cannot be one atomic step. They are charged
 * in turn until one denies. The remaining ones are then only peeked at, so that the result contains
 * every policy that denies and the longest wait, and what was charged is refunded. In between, a
 * policy is charged for a request that is not admitted: a moment of over-charging. A request that
 * is not charged to all policies is never admitted. Parts that are {@linkplain Part#isAlwaysCharged
 * always charged} are charged in either case.
 *
 * <p>No thread waits.
 */
public final class AllOrNothing {
  private static final Logger LOG = LoggerFactory.getLogger(AllOrNothing.class);

  /** The share of one policy in a request. */
  public interface Part {
    /**
     * Returns the policy's name.
     *
     * @return the name, for logs
     */
    String policy();

    /**
     * Returns the cost of the request under this policy.
     *
     * @return the number of permits
     */
    long permits();

    /**
     * Acquires permits if they fit.
     *
     * @param permits {@link #permits}, or 0 to peek
     * @return completes with the decision
     */
    CompletionStage<Decision> tryAcquire(long permits);

    /**
     * Gives back all {@link #permits} to where they were charged.
     *
     * @param charged the decision that charged them
     * @return completes with the state afterwards
     */
    CompletionStage<Decision> refund(Decision charged);

    /**
     * Returns whether the request is denied if this policy denies it.
     *
     * @return false if the other policies are charged whatever this one decides
     */
    default boolean isBinding() {
      return true;
    }

    /**
     * Returns whether {@link #tryAcquire} charges the permits even if they do not fit. They then
     * stay charged if another policy denies the request: for costs that are known only afterwards.
     *
     * @return true if this part is always charged and never refunded
     */
    default boolean isAlwaysCharged() {
      return false;
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
   * Charges all parts if all that are binding admit the request; otherwise, only those that are
   * {@linkplain Part#isAlwaysCharged always charged}.
   *
   * @param parts in the order in which they are charged
   * @return completes with a decision for each part, in the same order; the request is admitted if
   *     all binding parts allow it. Otherwise, the decision of a policy with room is its state
   *     after the refund. If a part fails, completes with its failure after refunding the others
   */
  public static CompletableFuture<List<Decision>> tryAcquire(List<? extends Part> parts) {
    if (parts.size() == 1) {
      Part only = parts.get(0); // atomic by itself
      return tryAcquire(only, only.permits()).thenApply(List::of);
    }
    AllOrNothing all = new AllOrNothing(parts);
    return all.acquireFrom(0)
        .handle((done, failure) -> failure == null ? null : failure)
        .thenCompose(all::finished);
  }

  private CompletableFuture<Void> acquireFrom(int i) {
    if (i == parts.size()) {
      return done();
    }
    Part part = parts.get(i);
    return tryAcquire(part, part.permits())
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              if (!decision.allowed() && part.isBinding()) {
                return peekFrom(i + 1).thenCompose(peeked -> refundAll());
              }
              charged = i + 1;
              return acquireFrom(i + 1);
            });
  }

  private CompletableFuture<Void> peekFrom(int i) {
    if (i == parts.size()) {
      return done();
    }
    Part part = parts.get(i);
    return (part.isAlwaysCharged() ? tryAcquire(part, part.permits()) : peek(part))
        .thenCompose(
            decision -> {
              decisions[i] = decision;
              return peekFrom(i + 1);
            });
  }

  /** Tries to acquire what does not fit: a denial charges nothing and contains the wait. */
  private static CompletableFuture<Decision> peek(Part part) {
    return tryAcquire(part, 0)
        .thenCompose(
            peeked ->
                peeked.allowed() && peeked.remaining() < part.permits()
                    ? tryAcquire(part, part.permits()).thenCompose(tried -> refund(part, tried))
                    : CompletableFuture.completedFuture(peeked));
  }

  private CompletableFuture<Void> refundAll() {
    List<CompletableFuture<?>> refunds = new ArrayList<>();
    for (int i = 0; i < charged; i++) {
      int place = i;
      Part part = parts.get(i);
      if (!part.isAlwaysCharged()) {
        refunds.add(refund(part, decisions[i]).thenAccept(after -> decisions[place] = after));
      }
    }
    charged = 0;
    return CompletableFuture.allOf(refunds.toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Refunds a part to where a decision charged it. A failure is logged.
   *
   * @param part the part
   * @param charged the decision on the part
   * @return completes with the state afterwards, or with the given decision if it charged nothing
   *     or the refund failed; never completes exceptionally
   */
  public static CompletableFuture<Decision> refund(Part part, Decision charged) {
    if (!charged.allowed()
        || part.permits() == 0
        || charged.source() == Decision.Source.FAILURE_RULE) {
      return CompletableFuture.completedFuture(charged);
    }
    return future(() -> part.refund(charged))
        .handle(
            (after, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "Refund of {} permits of policy '{}' failed; they stay charged",
                    part.permits(),
                    part.policy(),
                    failure);
              }
              return after != null && after.allowed() ? after : charged;
            });
  }

  private CompletableFuture<List<Decision>> finished(@Nullable Throwable failure) {
    return failure == null
        ? CompletableFuture.completedFuture(List.of(decisions))
        : refundAll().thenApply(refunded -> rethrown(failure));
  }

  private static List<Decision> rethrown(Throwable failure) {
    throw failure instanceof CompletionException wrapped
        ? wrapped
        : new CompletionException(failure);
  }

  private static CompletableFuture<Decision> tryAcquire(Part part, long permits) {
    return future(() -> part.tryAcquire(permits));
  }

  /** Treats a part that throws like one whose stage fails. */
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
