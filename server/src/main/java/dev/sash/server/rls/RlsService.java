package dev.sash.server.rls;

import dev.sash.server.metrics.Outcome;
import dev.sash.server.metrics.RequestMeters;
import dev.sash.server.rls.counter.TimeLimit;
import dev.sash.server.rls.domain.Decider;
import dev.sash.server.rls.wire.RlsRequest;
import dev.sash.server.rls.wire.RlsResponse;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envoy's rate limit service, version 3, as gRPC calls it. Blocks no thread. Thread-safe.
 *
 * <p>Messages are read and written by {@link RlsRequest} and {@link RlsResponse}; gRPC sees bytes.
 */
final class RlsService {
  static final String NAME = "envoy.service.ratelimit.v3.RateLimitService";

  private static final Logger LOG = LoggerFactory.getLogger(RlsService.class);
  private static final String OPERATION = "should-rate-limit";

  private final Decider decider;
  private final RequestMeters meters;
  private final AtomicInteger underWay = new AtomicInteger();

  RlsService(Decider decider, RequestMeters meters) {
    this.decider = decider;
    this.meters = meters;
  }

  ServerServiceDefinition definition() {
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.newBuilder(Bytes.MARSHALLER, Bytes.MARSHALLER)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, "ShouldRateLimit"))
            .build();
    ServiceDescriptor service =
        ServiceDescriptor.newBuilder(NAME)
            .setSchemaDescriptor(new RlsSchema())
            .addMethod(method)
            .build();
    return ServerServiceDefinition.builder(service)
        .addMethod(method, ServerCalls.asyncUnaryCall(this::shouldRateLimit))
        .build();
  }

  /** The calls whose answers are not sent yet. */
  int underWay() {
    return underWay.get();
  }

  private void shouldRateLimit(byte[] message, StreamObserver<byte[]> observer) {
    ServerCallStreamObserver<byte[]> call = (ServerCallStreamObserver<byte[]>) observer;
    underWay.incrementAndGet();
    meters.beginsToWait();
    // One of the two is called, once, when all is sent or nobody waits for it any more.
    call.setOnCloseHandler(this::finished);
    call.setOnCancelHandler(this::finished);
    try {
      decider
          .decide(RlsRequest.parse(message), timeLimit())
          .whenComplete(
              (response, failure) -> {
                if (failure == null) {
                  answer(call, response);
                } else {
                  fail(call, failure);
                }
              });
    } catch (RuntimeException e) {
      fail(call, e);
    }
  }

  private void finished() {
    underWay.decrementAndGet();
    meters.endsToWait();
  }

  /** Bounded by the header {@code grpc-timeout}. */
  private static TimeLimit timeLimit() {
    Deadline deadline = Context.current().getDeadline();
    return deadline == null ? TimeLimit.NONE : TimeLimit.ofCall(deadline);
  }

  private void answer(ServerCallStreamObserver<byte[]> call, RlsResponse response) {
    meters.count(OPERATION, response.overLimit() ? Outcome.DENIED : Outcome.ALLOWED);
    if (!call.isCancelled()) {
      call.onNext(response.toBytes());
      call.onCompleted();
    }
  }

  private void fail(ServerCallStreamObserver<byte[]> call, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof IllegalArgumentException) {
      meters.count(OPERATION, Outcome.INVALID);
      call.onError(
          Status.INVALID_ARGUMENT.withDescription(cause.getMessage()).asRuntimeException());
    } else {
      meters.count(OPERATION, Outcome.FAILED);
      LOG.error("Request of Envoy failed", cause);
      call.onError(
          Status.INTERNAL
              .withDescription("the call failed here, see the log")
              .asRuntimeException());
    }
  }
}
