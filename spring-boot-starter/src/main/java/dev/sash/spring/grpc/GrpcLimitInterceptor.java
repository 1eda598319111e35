package dev.sash.spring.grpc;

import dev.sash.grpc.RateLimitInterceptor;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.grpc.server.exception.GrpcExceptionHandlerInterceptor;

/**
 * Limits the calls of all services, at one of two places: before Spring Security, or behind it,
 * where the user is known. Thread-safe.
 *
 * <p>A late decision starts the call on another thread. Interceptors outside of this one are not on
 * its stack: so the user is kept here, and the application's exceptions are handled here, too.
 */
final class GrpcLimitInterceptor implements ServerInterceptor, Ordered {
  /** Spring Security's interceptors have {@code GrpcSecurity.CONTEXT_FILTER_ORDER - 10} and it. */
  private static final int SECURITY = -10;

  static final int BEFORE_SECURITY = SECURITY - 10;

  /** Before the interceptor of observations, which then observes the service on its thread. */
  static final int BEHIND_SECURITY = SECURITY + 5;

  private final @Nullable RateLimitInterceptor limits;
  private final int order;
  private final @Nullable Callers callers;
  private final @Nullable GrpcExceptionHandlerInterceptor exceptions;

  /**
   * Creates an interceptor.
   *
   * @param limits limit calls; null if nothing is limited here
   * @param order its place among global interceptors
   * @param callers know the user; null if nobody does
   * @param exceptions Spring's interceptor for exceptions of the application; null if there is none
   */
  GrpcLimitInterceptor(
      @Nullable RateLimitInterceptor limits,
      int order,
      @Nullable Callers callers,
      @Nullable GrpcExceptionHandlerInterceptor exceptions) {
    this.limits = limits;
    this.order = order;
    this.callers = callers;
    this.exceptions = exceptions;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (limits == null) {
      return next.startCall(call, headers);
    }
    Arrival arrival = new Arrival();
    ServerCallHandler<Q, A> late = late(next);
    try {
      return limits.interceptCall(
          call,
          headers,
          (started, metadata) -> (arrival.isNow() ? next : late).startCall(started, metadata));
    } finally {
      arrival.isOver = true;
    }
  }

  /** The time in which a call is on the stack of the outer interceptors. */
  private static final class Arrival {
    private final Thread thread = Thread.currentThread();

    /** Only that thread writes it, and only that thread reads it. */
    private boolean isOver;

    /** A call that arrived on a thread of a pool may also be started later on that thread. */
    boolean isNow() {
      return Thread.currentThread() == thread && !isOver;
    }
  }

  private <Q, A> ServerCallHandler<Q, A> late(ServerCallHandler<Q, A> next) {
    ServerCallHandler<Q, A> handled =
        exceptions == null
            ? next
            : (call, headers) -> exceptions.interceptCall(call, headers, next);
    return callers == null ? handled : callers.keeping(handled);
  }
}
