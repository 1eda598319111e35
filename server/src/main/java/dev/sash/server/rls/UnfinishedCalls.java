package dev.sash.server.rls;

import dev.sash.server.net.ByteBudget;
import dev.sash.server.net.PendingRequests;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds calls whose request is not complete: the time that each may take, and the bytes of all. A
 * request is complete when the client has ended it. In a call with several requests, each message
 * begins the time anew.
 *
 * <p>gRPC tells a tracer of bytes as they come, and an interceptor of whole messages and of the end
 * of a request. A call is known to both by its context. All of it happens on the event loop of the
 * connection, since calls have no other executor, and so does the passing of time.
 */
final class UnfinishedCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
  /** The most metadata of a call, which counts as if every call had that much. */
  static final int METADATA_BYTES = 8 << 10;

  /** What a piece of a message takes besides its bytes, as gRPC keeps it until all pieces came. */
  static final int PIECE_BYTES = 256;

  private static final Context.Key<UnfinishedCall> CALL = Context.key("sash-unfinished-call");

  private final ByteBudget input;
  private final FastThreadLocal<PendingRequests> pending;

  /**
   * Creates bounds.
   *
   * @param input the bytes of requests that are not complete, over all protocols
   * @param requestTimeout the time that a request may take, in whole seconds
   */
  UnfinishedCalls(ByteBudget input, Duration requestTimeout) {
    this.input = input;
    this.pending =
        new FastThreadLocal<>() {
          @Override
          protected PendingRequests initialValue() {
            return new PendingRequests(requestTimeout.toSeconds());
          }
        };
  }

  /** Lets time pass on the event loops until they are shut down. */
  void watch(EventExecutorGroup eventLoops) {
    for (EventExecutor eventLoop : eventLoops) {
      var unused =
          eventLoop.scheduleAtFixedRate(() -> pending.get().tick(), 1, 1, TimeUnit.SECONDS);
    }
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new UnfinishedCall(pending.get(), input.share()).tracer;
  }

  @Override
  public <Q, P> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, P> call, Metadata headers, ServerCallHandler<Q, P> next) {
    UnfinishedCall unfinished = CALL.get();
    if (!unfinished.begin(call)) {
      return new ServerCall.Listener<>() {};
    }
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(Q message) {
        if (unfinished.isServed()) {
          unfinished.message();
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (unfinished.isServed()) {
          unfinished.end();
          super.onHalfClose();
        }
      }
    };
  }

  /** One call, from its head to the end of its request. */
  private static final class UnfinishedCall extends PendingRequests.Pending {
    private final PendingRequests pending;
    private final ByteBudget.Share share;
    private @Nullable ServerCall<?, ?> call;
    private long bytes = METADATA_BYTES;
    private boolean over;
    private boolean refused;

    final ServerStreamTracer tracer =
        new ServerStreamTracer() {
          @Override
          public Context filterContext(Context context) {
            return context.withValue(CALL, UnfinishedCall.this);
          }

          @Override
          public void inboundWireSize(long pieceBytes) {
            hold(bytes + pieceBytes + PIECE_BYTES);
          }

          @Override
          public void streamClosed(Status status) {
            end();
          }
        };

    UnfinishedCall(PendingRequests pending, ByteBudget.Share share) {
      this.pending = pending;
      this.share = share;
    }

    /** Begins to count. Returns false if there is no room. */
    boolean begin(ServerCall<?, ?> started) {
      call = started;
      pending.began(this);
      hold(bytes);
      return isServed();
    }

    /** Returns whether the call goes on. */
    boolean isServed() {
      return !refused;
    }

    private void hold(long changed) {
      if (over) {
        return;
      }
      bytes = changed;
      if (!share.resize(changed)) {
        refuse(
            Status.RESOURCE_EXHAUSTED.withDescription(
                "too many requests at once that are not complete"));
      }
    }

    /** Called when a message is complete. */
    void message() {
      if (!over) {
        pending.began(this);
      }
    }

    /** Called when the request is complete, or nobody waits for the answer. */
    void end() {
      over = true;
      pending.ended(this);
      share.release();
    }

    @Override
    protected void expire() {
      refuse(
          Status.DEADLINE_EXCEEDED.withDescription(
              "request must be sent within " + pending.maxSeconds() + " s"));
    }

    private void refuse(Status status) {
      end();
      refused = true;
      if (call != null) {
        call.close(status, new Metadata());
      }
    }
  }
}
