package dev.sash.grpc;

import dev.sash.AllOrNothing;
import dev.sash.Decision;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call: waits for its decisions, and is then started or closed.
 *
 * @param <Q> the type of the requests
 * @param <A> the type of the responses
 */
final class LimitedCall<Q, A> {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedCall.class);

  private final List<CallRule> rules;
  private final ServerCall<Q, A> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, A> handler;
  private final @Nullable CallCharges earlier = CallCharges.ofThisCall();

  LimitedCall(
      List<CallRule> rules,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> handler) {
    this.rules = rules;
    this.call = call;
    this.headers = headers;
    this.handler = handler;
  }

  /** Acquires the permits; decisions that are available at once are applied on this thread. */
  ServerCall.Listener<Q> begin(Executor executor) {
    List<CallCharge> charges = new ArrayList<>();
    for (CallRule rule : rules) {
      String key = rule.keyOf(call, headers);
      try {
        if (key != null) {
          charges.add(rule.charge(key));
        }
      } catch (RuntimeException e) {
        return apply(charges, null, e);
      }
    }
    if (charges.isEmpty()) {
      return handler.startCall(call, headers);
    }
    CompletableFuture<List<Decision>> pending = AllOrNothing.tryAcquire(charges);
    if (pending.isDone()) {
      return pending.isCompletedExceptionally()
          ? apply(charges, null, pending.handle((decisions, failure) -> failure).join())
          : apply(charges, pending.join(), null);
    }
    DelayedListener<Q> delayed = new DelayedListener<>();
    Context context = Context.current();
    var unused =
        pending.whenComplete(
            (decisions, failure) -> {
              Runnable start = context.wrap(() -> start(delayed, charges, decisions, failure));
              try {
                executor.execute(start);
              } catch (RejectedExecutionException e) {
                refund(charges, decisions);
                fail(
                    Status.UNAVAILABLE.withDescription(
                        "the server cannot start calls at the moment"),
                    e);
              }
            });
    return delayed;
  }

  /** Starts a call that had to wait, or refunds it if it was cancelled. */
  private void start(
      DelayedListener<Q> delayed,
      List<CallCharge> charges,
      @Nullable List<Decision> decisions,
      @Nullable Throwable failure) {
    boolean started =
        !call.isCancelled()
            && delayed.start(
                () -> apply(charges, decisions, failure),
                e -> fail(Status.UNKNOWN.withDescription("the application failed"), e));
    if (!started) {
      refund(charges, decisions);
    }
  }

  private ServerCall.Listener<Q> apply(
      List<CallCharge> charges, @Nullable List<Decision> decisions, @Nullable Throwable failure) {
    if (decisions == null) {
      refund(charges, null);
      fail(Status.INTERNAL.withDescription("the limit could not be checked"), failure);
      return new ServerCall.Listener<>() {};
    }
    int denial = denial(charges, decisions);
    if (denial >= 0) {
      refund(charges, null); // of these, AllOrNothing has charged nothing
      DeniedCall.close(call, charges.get(denial).policy(), decisions.get(denial));
      return new ServerCall.Listener<>() {};
    }
    Context context = new CallCharges(charges, decisions, earlier).context();
    Context previous = context.attach();
    try {
      return handler.startCall(call, headers);
    } finally {
      context.detach(previous);
    }
  }

  /** Returns the place of the denial with the longest wait; -1 if the call is admitted. */
  private static int denial(List<CallCharge> charges, List<Decision> decisions) {
    int found = -1;
    for (int i = 0; i < decisions.size(); i++) {
      Decision decision = decisions.get(i);
      if (charges.get(i).isBinding()
          && !decision.allowed()
          && (found < 0 || isLonger(decision, decisions.get(found)))) {
        found = i;
      }
    }
    return found;
  }

  private static boolean isLonger(Decision decision, Decision other) {
    return !other.neverAllowed()
        && (decision.neverAllowed() || decision.retryAfter().compareTo(other.retryAfter()) > 0);
  }

  /** Refunds what was charged to the call, also by earlier interceptors. */
  private void refund(List<CallCharge> charges, @Nullable List<Decision> decisions) {
    if (decisions != null && denial(charges, decisions) < 0) {
      new CallCharges(charges, decisions, earlier).refund();
    } else if (earlier != null) {
      earlier.refund();
    }
  }

  private void fail(Status status, @Nullable Throwable cause) {
    String method = call.getMethodDescriptor().getFullMethodName();
    LOG.error("Call of {} failed: {}", method, status.getDescription(), cause);
    try {
      call.close(status.withCause(cause), new Metadata());
    } catch (IllegalStateException e) {
      LOG.debug("Call of {} was already closed", method, e);
    }
  }
}
