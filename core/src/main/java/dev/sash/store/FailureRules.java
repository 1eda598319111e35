package dev.sash.store;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.LimitUsage;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the policy's {@link FailureRule} when the store throws a {@link StoreException}.
 * Resets and inspections have no rule: their exceptions are thrown.
 *
 * <p>{@link FailureRule#LOCAL} continues from what the store last answered about the key. Until all
 * of that has expired, this process admits its share of what was left then; what it has asked the
 * store for without an answer counts as spent. For a key of which it knows nothing, it admits its
 * share of the limit.
 *
 * <p>A refund goes to where the permits were charged: those of the store to the store or, while it
 * is unavailable, nowhere; those of the local fallback to the local fallback, whatever the store
 * does.
 */
public final class FailureRules extends StoreDecorator {
  /** The wait that {@link FailureRule#CLOSED} reports: recovery is noticed by then. */
  private static final long CLOSED_RETRY_MICROS = 1_000_000;

  private static final int LOCKS = 64;

  private final int nodes;
  private final Supplier<Store> newFallback;
  private final LastKnown known = new LastKnown();
  private final Object[] locks = Stream.generate(Object::new).limit(LOCKS).toArray();
  private final LongAdder decisions = new LongAdder();
  private volatile @Nullable Store fallback;

  /**
   * Creates a decorator.
   *
   * @param store the store that decides as long as it can
   * @param nodes the number of processes that share the limits: each admits permits / nodes by
   *     {@link FailureRule#LOCAL}, rounded down, and at least 1
   * @param newFallback creates the store that {@code LOCAL} decides by, when it is first needed
   */
  public FailureRules(Store store, int nodes, Supplier<Store> newFallback) {
    super(store);
    Bounds.check("nodes", 1, 1_000_000, nodes);
    this.nodes = nodes;
    this.newFallback = newFallback;
  }

  /**
   * Returns the number of decisions by a failure rule.
   *
   * @return since this decorator was created
   */
  public long decisions() {
    return decisions.sum();
  }

  @Override
  public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
    if (operation == Operation.REFUND_LOCAL) {
      return refundLocal(limits, key, permits);
    }
    if (operation == Operation.RESET) {
      resetLocal(limits, key);
    }
    int place = LastKnown.place(limits, key);
    long spent = spends(operation) ? permits : 0;
    known.sent(place, spent);
    Decision decision = null;
    StoreException failure = null;
    try {
      decision = store.decide(operation, limits, key, permits);
    } catch (StoreException e) {
      failure = e;
    } finally {
      known.ended(place, spent);
    }
    if (decision != null) {
      return noted(decision, operation, limits, key, place);
    }
    if (!hasRule(operation)) {
      throw failure;
    }
    return byRule(operation, limits, key, permits, place);
  }

  @Override
  public CompletionStage<Decision> decideAsync(
      Operation operation, ResolvedLimits limits, String key, long permits) {
    try {
      if (operation == Operation.REFUND_LOCAL) {
        return CompletableFuture.completedFuture(refundLocal(limits, key, permits));
      }
      if (operation == Operation.RESET) {
        resetLocal(limits, key);
      }
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    int place = LastKnown.place(limits, key);
    long spent = spends(operation) ? permits : 0;
    known.sent(place, spent);
    return store
        .decideAsync(operation, limits, key, permits)
        .handle(
            (decision, failure) -> {
              known.ended(place, spent);
              if (decision != null) {
                return noted(decision, operation, limits, key, place);
              }
              if (unwrapped(failure) instanceof StoreException && hasRule(operation)) {
                return byRule(operation, limits, key, permits, place);
              }
              throw failure instanceof CompletionException wrapped
                  ? wrapped
                  : new CompletionException(failure);
            });
  }

  private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private static boolean hasRule(Operation operation) {
    return operation != Operation.RESET && operation != Operation.INSPECT;
  }

  private static boolean spends(Operation operation) {
    return operation == Operation.ACQUIRE || operation == Operation.CHARGE;
  }

  /** Notes what is left of a key for which {@code LOCAL} may have to decide. */
  private Decision noted(
      Decision decision, Operation operation, ResolvedLimits limits, String key, int place) {
    if (operation == Operation.RESET) {
      known.forget(place);
    } else if (limits.policy().failureRule() == FailureRule.LOCAL) {
      known.answered(place, limits, key, decision, clock().micros());
    }
    return decision;
  }

  private Decision byRule(
      Operation operation, ResolvedLimits limits, String key, long permits, int place) {
    decisions.increment();
    long wanted = operation == Operation.ACQUIRE ? permits : 0;
    return switch (limits.policy().failureRule()) {
      case LOCAL -> local(operation, limits, key, permits, place);
      case OPEN -> open(limits, wanted);
      case CLOSED -> closed(limits, wanted);
    };
  }

  /** Decides as if nothing were charged: what is charged is not known. */
  private static Decision open(ResolvedLimits limits, long permits) {
    Limit lowest = limits.lowest();
    long capacity = lowest.capacity();
    return permits > capacity
        ? Decisions.neverAllowed(lowest, 0, capacity, 0, Source.FAILURE_RULE)
        : Decisions.allowed(
            lowest,
            permits,
            capacity - permits,
            permits == 0 ? 0 : lowest.windowMicros(),
            Source.FAILURE_RULE);
  }

  private static Decision closed(ResolvedLimits limits, long permits) {
    Limit lowest = limits.lowest();
    return permits > lowest.capacity()
        ? Decisions.neverAllowed(lowest, 0, 0, 0, Source.FAILURE_RULE)
        : Decisions.denied(
            lowest, 0, 0, CLOSED_RETRY_MICROS, CLOSED_RETRY_MICROS, Source.FAILURE_RULE);
  }

  private Decision local(
      Operation operation, ResolvedLimits limits, String key, long permits, int place) {
    ResolvedLimits share = share(limits);
    Operation spending = spends(operation) ? operation : Operation.PEEK;
    LastKnown.Answer answer = known.answer(place, limits, key, clock().micros());
    long unanswered = known.unanswered(place);
    if (operation == Operation.CHARGE || (answer == null && unanswered <= 0)) {
      return local(spending, share, key, spends(operation) ? permits : 0);
    }
    long wanted = operation == Operation.ACQUIRE ? permits : 0;
    synchronized (locks[place % LOCKS]) {
      return localFrom(answer, unanswered, share, key, wanted);
    }
  }

  /**
   * Decides where the store may have charged permits, and may still grant others: of this process's
   * share of what was left when the store last answered, what the fallback has admitted and what is
   * on its way is not there any more.
   */
  private Decision localFrom(
      LastKnown.@Nullable Answer answer,
      long unanswered,
      ResolvedLimits share,
      String key,
      long permits) {
    Decision local = fallback().decide(Operation.INSPECT, share, key, 0);
    long used = local.usages().stream().mapToLong(LimitUsage::used).max().orElse(0);
    long left = answer == null ? local.remaining() : answer.remaining() / nodes - used;
    long remaining = Math.max(0, Math.min(local.remaining(), left - Math.max(0, unanswered)));
    if (permits <= remaining || permits > local.remaining()) {
      Decision decision = local(Operation.ACQUIRE, share, key, permits);
      long after = Math.max(0, Math.min(decision.remaining(), remaining - permits));
      Limit limit = decision.decidedBy();
      return decision.allowed()
          ? Decisions.allowed(
              limit,
              Math.max(decision.used(), limit.capacity() - after),
              after,
              Bounds.microsCeil(decision.resetAfter()),
              Source.LOCAL)
          : decision;
    }
    long expired = answer == null ? 0 : answer.untilMicros() - clock().micros();
    long answered = Bounds.microsCeil(share.policy().deadline());
    Limit limit = local.decidedBy();
    return Decisions.denied(
        limit,
        Math.max(local.used(), limit.capacity() - remaining),
        remaining,
        Math.max(1, permits <= Math.min(local.remaining(), left) ? answered : expired),
        Math.max(expired, Bounds.microsCeil(local.resetAfter())),
        Source.LOCAL);
  }

  private Decision local(Operation operation, ResolvedLimits share, String key, long permits) {
    return Decisions.withSource(fallback().decide(operation, share, key, permits), Source.LOCAL);
  }

  private Decision refundLocal(ResolvedLimits limits, String key, long permits) {
    return local(Operation.REFUND, share(limits), key, permits);
  }

  private void resetLocal(ResolvedLimits limits, String key) {
    Store local = fallback;
    if (local != null) {
      local.decide(Operation.RESET, share(limits), key, 0);
    }
  }

  private Store fallback() {
    Store local = fallback;
    return local == null ? createFallback() : local;
  }

  private synchronized Store createFallback() {
    Store local = fallback;
    if (local == null) {
      local = newFallback.get();
      fallback = local;
    }
    return local;
  }

  private ResolvedLimits share(ResolvedLimits limits) {
    if (nodes == 1) {
      return limits;
    }
    List<Limit> shares = limits.limits().stream().map(this::share).toList();
    return new ResolvedLimits(limits.policy(), shares);
  }

  /** Rounded down, so that all nodes together stay within the limit, but at least 1. */
  private Limit share(Limit limit) {
    Limit share = limit.withPermits(Math.max(1, limit.permits() / nodes));
    return limit.algorithm() == Algorithm.TOKEN_BUCKET
        ? share.withCapacity(Math.max(1, limit.capacity() / nodes))
        : share;
  }

  @Override
  public void close() {
    store.close();
    Store local = fallback;
    if (local != null) {
      local.close();
    }
  }
}
