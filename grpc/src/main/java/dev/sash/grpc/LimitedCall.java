package dev.sash.grpc;

import dev.sash.Decision;
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
 * One call on its way to a decision: admitted and started, or refused.
 *
 * @param <Q> the call's requests
 * @param <A> its responses
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

  /** Asks; a decision that is there at once is followed at once, on this thread. */
  ServerCall.Listener<Q> begin(Executor executor) {
    String key = rule.keyOf(call, headers);
    CompletableFuture<Decision> answer = rule.ask(key, permits);
    if (answer.isDone()) {
      return answer.isCompletedExceptionally()
          ? follow(null, answer.handle((decision, failure) -> failure).join())
          : follow(answer.join(), null);
    }
    DelayedListener<Q> delayed = new DelayedListener<>();
    Context context = Context.current();
    var unused =
        answer.whenComplete(
            (decision, failure) -> {
              Runnable goOn = context.wrap(() -> goOn(delayed, key, decision, failure));
              try {
                executor.execute(goOn);
              } catch (RejectedExecutionException e) {
                giveBack(key, decision);
                fail(
                    Status.UNAVAILABLE.withDescription(
                        "the server cannot start calls at the moment"),
                    e);
              }
            });
    return delayed;
  }

  /** Starts a call that had to wait, or gives back what it was charged if it is gone. */
  private void goOn(
      DelayedListener<Q> delayed,
      String key,
      @Nullable Decision decision,
      @Nullable Throwable failure) {
    boolean started =
        !call.isCancelled()
            && delayed.start(
                () -> follow(decision, failure),
                e -> fail(Status.UNKNOWN.withDescription("the application failed"), e));
    if (!started) {
      giveBack(key, decision);
    }
  }

  private ServerCall.Listener<Q> follow(@Nullable Decision decision, @Nullable Throwable failure) {
    if (decision == null) {
      fail(Status.INTERNAL.withDescription("the limit could not be checked"), failure);
      return new ServerCall.Listener<>() {};
    }
    if (!decision.allowed()) {
      Refusal.refuse(call, rule.limiter().policy().name(), decision);
      return new ServerCall.Listener<>() {};
    }
    return handler.startCall(call, headers);
  }

  private void giveBack(String key, @Nullable Decision decision) {
    if (decision != null && decision.allowed()) {
      var unused = rule.limiter().refundAsync(key, permits);
    }
  }

  private void fail(Status status, @Nullable Throwable cause) {
    String method = call.getMethodDescriptor().getFullMethodName();
    LOG.error("call of {}: {}", method, status.getDescription(), cause);
    try {
      call.close(status.withCause(cause), new Metadata());
    } catch (IllegalStateException e) {
      LOG.debug("call of {} was closed already", method, e);
    }
  }
}
