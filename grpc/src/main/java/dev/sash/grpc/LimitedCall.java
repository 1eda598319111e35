package dev.sash.grpc;

import dev.sash.Decision;
import dev.sash.ResolvedKey;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call: waits for its decision, and is then started or closed.
 *
 * @param <Q> the type of the requests
 * @param <A> the type of the responses
 */
final class LimitedCall<Q, A> {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedCall.class);

  private final Rule rule;
  private final long permits;
  private final ServerCall<Q, A> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, A> handler;

  LimitedCall(
      Rule rule,
      long permits,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> handler) {
    this.rule = rule;
    this.permits = permits;
    this.call = call;
    this.headers = headers;
    this.handler = handler;
  }

  /** Acquires the permits; a decision that is available at once is applied on this thread. */
  ServerCall.Listener<Q> begin(Executor executor) {
    String key = rule.keyOf(call, headers);
    ResolvedKey target;
    try {
      target = rule.limiter().resolve(key);
    } catch (RuntimeException e) {
      return apply(null, e);
    }
    CompletableFuture<Decision> pending = target.tryAcquireAsync(permits).toCompletableFuture();
    if (pending.isDone()) {
      return pending.isCompletedExceptionally()
          ? apply(null, pending.handle((decision, failure) -> failure).join())
          : apply(pending.join(), null);
    }
    DelayedListener<Q> delayed = new DelayedListener<>();
    Context context = Context.current();
    var unused =
        pending.whenComplete(
            (decision, failure) -> {
              Runnable start = context.wrap(() -> start(delayed, target, decision, failure));
              try {
                executor.execute(start);
              } catch (RejectedExecutionException e) {
                refund(target, decision);
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
      ResolvedKey target,
      @Nullable Decision decision,
      @Nullable Throwable failure) {
    boolean started =
        !call.isCancelled()
            && delayed.start(
                () -> apply(decision, failure),
                e -> fail(Status.UNKNOWN.withDescription("the application failed"), e));
    if (!started) {
      refund(target, decision);
    }
  }

  private ServerCall.Listener<Q> apply(@Nullable Decision decision, @Nullable Throwable failure) {
    if (decision == null) {
      fail(Status.INTERNAL.withDescription("the limit could not be checked"), failure);
      return new ServerCall.Listener<>() {};
    }
    if (!decision.allowed()) {
      DeniedCall.close(call, rule.limiter().policy().name(), decision);
      return new ServerCall.Listener<>() {};
    }
    return handler.startCall(call, headers);
  }

  private void refund(ResolvedKey target, @Nullable Decision decision) {
    if (decision != null && decision.allowed()) {
      var unused = target.refundAsync(permits, decision);
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
