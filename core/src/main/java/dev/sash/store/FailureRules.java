package dev.sash.store;

import dev.sash.Algorithm;
import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.internal.Bounds;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the policy's {@link dev.sash.FailureRule} when the store throws a {@link
 * StoreException}. Resets and inspections have no rule: their exceptions are thrown.
 *
 * <p>A refund goes to where the permits were charged: those of the store to the store or, while it
 * is unavailable, nowhere; those of the local fallback to the local fallback, whatever the store
 * does.
 */
public final class FailureRules extends StoreDecorator {
  /** The wait that {@link dev.sash.FailureRule#CLOSED} reports: recovery is noticed by then. */
  private static final long CLOSED_RETRY_MICROS = 1_000_000;

  private final int nodes;
  private final Supplier<Store> newFallback;
  private final LongAdder decisions = new LongAdder();
  private volatile @Nullable Store fallback;

  /**
   * Creates a decorator.
   *
   * @param store the store that decides as long as it can
   * @param nodes the number of processes that share the limits: each admits permits / nodes by
   *     {@link dev.sash.FailureRule#LOCAL}, rounded down, and at least 1
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
    try {
      return store.decide(operation, limits, key, permits);
    } catch (StoreException e) {
      if (!hasRule(operation)) {
        throw e;
      }
      return byRule(operation, limits, key, permits);
    }
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
    return store
        .decideAsync(operation, limits, key, permits)
        .handle(
            (decision, failure) -> {
              if (decision != null) {
                return decision;
              }
              if (unwrapped(failure) instanceof StoreException && hasRule(operation)) {
                return byRule(operation, limits, key, permits);
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

  private Decision byRule(Operation operation, ResolvedLimits limits, String key, long permits) {
    decisions.increment();
    long wanted = operation == Operation.ACQUIRE ? permits : 0;
    return switch (limits.policy().failureRule()) {
      case LOCAL -> {
        boolean spends = operation == Operation.ACQUIRE || operation == Operation.CHARGE;
        yield local(spends ? operation : Operation.PEEK, limits, key, spends ? permits : 0);
      }
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

  private Decision local(Operation operation, ResolvedLimits limits, String key, long permits) {
    return Decisions.withSource(
        fallback().decide(operation, share(limits), key, permits), Source.LOCAL);
  }

  private Decision refundLocal(ResolvedLimits limits, String key, long permits) {
    return local(Operation.REFUND, limits, key, permits);
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
