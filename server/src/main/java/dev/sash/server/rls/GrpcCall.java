package dev.sash.server.rls;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gRPC call on an HTTP/2 stream: messages in, messages out, and a status at the end, which comes
 * exactly once and at the latest when {@code grpc-timeout} has passed. Lives on the event loop of
 * its connection; only {@link #execute} may be called elsewhere.
 */
final class GrpcCall {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcCall.class);
  private static final String CONTENT_TYPE = "application/grpc";
  private static final long NO_TIMER = -1;

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Context context;
  private long timer = NO_TIMER;
  private boolean finished;
  private Runnable onFinish = () -> {};

  /**
   * A call that has just arrived.
   *
   * @param request as it was handed over, on its event loop
   */
  GrpcCall(HttpServerRequest request) {
    this.request = request;
    this.response = request.response();
    this.context = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop");
    request.exceptionHandler(gone -> finish());
    response.exceptionHandler(gone -> finish());
    response.closeHandler(gone -> finish());
  }

  /** Runs something on the call's event loop: at once if this is it. */
  void execute(Runnable action) {
    if (Vertx.currentContext() == context) {
      guarded(action);
    } else {
      context.runOnContext(turn -> guarded(action));
    }
  }

  /** Is to be run when the call ends, whoever ends it. */
  void onFinish(Runnable action) {
    onFinish = action;
  }

  /** One message in, one out. */
  void unary(Function<byte[], CompletionStage<byte[]>> method) {
    Single single = new Single();
    receive(
        single::set,
        () ->
            method
                .apply(single.get())
                .whenComplete(
                    (answer, failure) ->
                        execute(
                            () -> {
                              if (failure == null) {
                                answer(answer);
                              } else {
                                fail(failure);
                              }
                            })));
  }

  /** One message in, as many out as the method likes. */
  void serverStreaming(Consumer<byte[]> method) {
    Single single = new Single();
    receive(single::set, () -> method.accept(single.get()));
  }

  /** One message out for each that comes in. */
  void each(Function<byte[], byte[]> method) {
    receive(message -> send(method.apply(message)), this::complete);
  }

  private void receive(Consumer<byte[]> onMessage, Runnable onEnd) {
    guarded(
        () -> {
          startTimer(GrpcTimeout.millis(request.getHeader("grpc-timeout")));
          Frames frames = Frames.encoded(request.getHeader("grpc-encoding"));
          request.handler(
              bytes ->
                  guarded(
                      () -> {
                        frames.add(bytes);
                        byte[] message = frames.next();
                        while (message != null && !finished) {
                          onMessage.accept(message);
                          message = frames.next();
                        }
                      }));
          request.endHandler(
              end ->
                  guarded(
                      () -> {
                        frames.end();
                        onEnd.run();
                      }));
        });
  }

  private void startTimer(long millis) {
    if (millis == 0) {
      throw late();
    }
    if (millis != GrpcTimeout.NONE) {
      timer = context.owner().setTimer(millis, id -> fail(late()));
    }
  }

  private static GrpcException late() {
    return new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "there is no answer within the timeout");
  }

  /** Sends a message of several. Who sends much and does not read is not listened to any more. */
  void send(byte[] message) {
    if (finished) {
      return;
    }
    begin();
    response.write(Frames.framed(message));
    if (response.writeQueueFull()) {
      request.pause();
      response.drainHandler(drained -> request.resume());
    }
  }

  /** Ends a call that has sent what it had to. */
  void complete() {
    if (finish()) {
      begin();
      response.putTrailer("grpc-status", "0").end();
    }
  }

  private void answer(byte[] message) {
    if (finish()) {
      Buffer framed = Frames.framed(message);
      begin();
      response.putTrailer("grpc-status", "0").end(framed);
    }
  }

  /** Ends the call with the status that tells of a failure. */
  void fail(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof GrpcException known) {
      fail(known.status(), known.getMessage());
    } else if (cause instanceof IllegalArgumentException) {
      fail(GrpcStatus.INVALID_ARGUMENT, cause.getMessage());
    } else {
      LOG.error("a call of {} failed", request.path(), cause);
      fail(GrpcStatus.INTERNAL, "the call failed here, see the log");
    }
  }

  private void fail(GrpcStatus status, @Nullable String message) {
    if (!finish()) {
      return;
    }
    String code = Integer.toString(status.code());
    String text = percentEncoded(message == null ? status.name() : message);
    if (response.headWritten()) {
      response.putTrailer("grpc-status", code).putTrailer("grpc-message", text);
    } else {
      begin();
      response.putHeader("grpc-status", code).putHeader("grpc-message", text);
      if (status == GrpcStatus.UNIMPLEMENTED) {
        response.putHeader("grpc-accept-encoding", "identity,gzip");
      }
    }
    response.end().onComplete(sent -> stopSending());
  }

  /** Whatever the caller still sends is not wanted. */
  private void stopSending() {
    if (!request.isEnded()) {
      response.reset(0);
    }
  }

  private void begin() {
    if (!response.headWritten()) {
      response.putHeader("content-type", CONTENT_TYPE);
    }
  }

  /** Whether it was not finished before. */
  private boolean finish() {
    if (finished) {
      return false;
    }
    finished = true;
    if (timer != NO_TIMER) {
      context.owner().cancelTimer(timer);
    }
    onFinish.run();
    return true;
  }

  private void guarded(Runnable action) {
    if (finished) {
      return;
    }
    try {
      action.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** As {@code grpc-message} is written: printable ASCII but for the percent sign. */
  static String percentEncoded(String text) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append(String.format("%%%02X", b & 0xff));
      }
    }
    return encoded.toString();
  }

  /** The only message of a call. */
  private static final class Single {
    private byte @Nullable [] message;

    void set(byte[] received) {
      if (message != null) {
        throw GrpcException.invalid("the call must have one message, has more");
      }
      message = received;
    }

    byte[] get() {
      if (message == null) {
        throw GrpcException.invalid("the call must have one message, has none");
      }
      return message;
    }
  }
}
