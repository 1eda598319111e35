package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.FailureRules;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import dev.sash.store.StoreException;
import io.grpc.Channel;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that wait for their decision. The server has one thread, which must not wait with them. */
@Timeout(120)
class LateDecisionIT {
  private static final String PEER = "ip:127.0.0.1";

  private static final Policy POLICY = Policy.of("api", Limit.parse("1/1h"));

  private final InMemoryStore memory = InMemoryStore.create();
  private final RateLimiter limiter = memory.limiter(POLICY);
  private final LateStore late = new LateStore(memory);

  private final Watch watch = new Watch();

  private RateLimitInterceptor.Builder limits() {
    return RateLimitInterceptor.builder().otherwise(late.limiter(POLICY), CallKey.peer());
  }

  private static ListenableFuture<String> say(Channel channel) {
    return ClientCalls.futureUnaryCall(
        channel.newCall(EchoServer.SAY, EchoServer.patiently()), "hello");
  }

  private static void assertFailsWith(Status.Code code, ListenableFuture<String> call) {
    assertThatThrownBy(call::get)
        .isInstanceOf(ExecutionException.class)
        .satisfies(e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(code));
  }

  @Test
  void aCallIsStartedWhenItsDecisionArrivesAndNoThreadWaitsForIt() throws Exception {
    try (EchoServer server = new EchoServer(watch, limits().build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      assertThat(server.call(EchoServer.HEALTH)).isEqualTo("hello");
      assertThat(server.handled()).isOne();
      assertThat(waiting.isDone()).isFalse();
      late.arrival.complete(null);

      assertThat(waiting.get()).isEqualTo("hello");
      assertThat(limiter.peek(PEER).used()).isOne();
    }
  }

  @Test
  void aCallIsDeniedWhenItsDecisionArrives() throws Exception {
    limiter.tryAcquire(PEER);
    try (EchoServer server = new EchoServer(watch, limits().build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      late.arrival.complete(null);

      assertFailsWith(Status.Code.RESOURCE_EXHAUSTED, waiting);
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void messagesThatCameBeforeTheDecisionAreHeardInOrder() throws Exception {
    try (EchoServer server = new EchoServer(watch, limits().build())) {
      List<String> messages = List.of("a", "b", "c", "d", "e", "f");
      Talk talk = Talk.begin(server, messages);
      watch.waiting.await();
      late.arrival.complete(null);

      assertThat(talk.await()).isEqualTo(messages);
      assertThat(limiter.peek(PEER).used()).isOne();
    }
  }

  @Test
  void aCallThatIsStartedLateRunsInItsContext() throws Exception {
    try (EchoServer server =
        new EchoServer(watch, new RateLimitInterceptorIT.Login(), limits().build())) {
      server.answer = text -> text + " " + RateLimitInterceptorIT.Login.user();
      ListenableFuture<String> waiting = say(server.channelWith("user", "ann"));
      watch.waiting.await();
      late.arrival.complete(null);

      assertThat(waiting.get()).isEqualTo("hello ann");
    }
  }

  @Test
  void aCallThatIsCancelledBeforeItsDecisionGetsItsPermitsBack() throws Exception {
    try (EchoServer server = new EchoServer(watch, limits().build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      assertThat(limiter.peek(PEER).used()).isOne();
      waiting.cancel(true);
      watch.cancelled.await();
      late.arrival.complete(null);
      late.refunded.await();

      assertThat(limiter.peek(PEER).used()).isZero();
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void aCallThatIsCancelledBetweenDecisionAndStartGetsItsPermitsBack() throws Exception {
    Queue<Runnable> starts = new ArrayDeque<>();
    try (EchoServer server = new EchoServer(watch, limits().executor(starts::add).build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      late.arrival.complete(null);
      waiting.cancel(true);
      watch.cancelled.await();
      assertThat(starts).hasSize(1);
      starts.remove().run();

      assertThat(limiter.peek(PEER).used()).isZero();
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void aCallThatIsCancelledWhileALaterInterceptorDecidesIsChargedByNone() throws Exception {
    Queue<Runnable> starts = new ArrayDeque<>();
    RateLimiter wide = memory.limiter(Policy.of("wide", Limit.parse("9/1h")));
    RateLimitInterceptor earlier = RateLimitInterceptor.of(wide, CallKey.peer());
    try (EchoServer server =
        new EchoServer(watch, earlier, limits().executor(starts::add).build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      assertThat(wide.peek(PEER).used()).isOne();
      late.arrival.complete(null);
      waiting.cancel(true);
      watch.cancelled.await();
      starts.remove().run();

      assertThat(limiter.peek(PEER).used()).isZero();
      assertThat(wide.peek(PEER).used()).isZero();
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void aLocalAdmissionIsNotRefundedToAStoreThatHasRecovered() throws Exception {
    LateStore local =
        new LateStore(new FailureRules(new FailingOnce(memory), 1, InMemoryStore::create));
    RateLimitInterceptor limits = RateLimitInterceptor.of(local.limiter(POLICY), CallKey.peer());
    try (EchoServer server = new EchoServer(watch, limits)) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      limiter.tryAcquire(PEER);
      waiting.cancel(true);
      watch.cancelled.await();
      local.arrival.complete(null);
      local.refunded.await();

      assertThat(limiter.peek(PEER).used()).isOne();
    }
  }

  /** Unavailable for the first request. */
  private static final class FailingOnce extends StoreDecorator {
    private boolean failed;

    FailingOnce(Store store) {
      super(store);
    }

    @Override
    public synchronized Decision decide(
        Operation operation, ResolvedLimits limits, String key, long permits) {
      if (!failed) {
        failed = true;
        throw new StoreException(StoreException.Reason.UNAVAILABLE, "down", null);
      }
      return store.decide(operation, limits, key, permits);
    }
  }

  @Test
  void theTierIsFoundOncePerCallAlsoIfItIsRefunded() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Policy tiered =
        POLICY.withTiers(
            key -> {
              calls.incrementAndGet();
              return List.of();
            });
    RateLimitInterceptor limits = RateLimitInterceptor.of(late.limiter(tiered), CallKey.peer());
    try (EchoServer server = new EchoServer(watch, limits)) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      waiting.cancel(true);
      watch.cancelled.await();
      late.arrival.complete(null);
      late.refunded.await();

      assertThat(calls).hasValue(1);
      assertThat(limiter.peek(PEER).used()).isZero();
    }
  }

  @Test
  void aCancelledCallThatWasDeniedGetsNothingBack() throws Exception {
    limiter.tryAcquire(PEER);
    Queue<Runnable> starts = new ArrayDeque<>();
    try (EchoServer server = new EchoServer(watch, limits().executor(starts::add).build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      waiting.cancel(true);
      watch.cancelled.await();
      late.arrival.complete(null);
      starts.remove().run();

      assertThat(limiter.peek(PEER).used()).isOne();
      assertThat(late.refunded.getCount()).isOne();
    }
  }

  @Test
  void aCallThatCannotBeStartedGetsItsPermitsBack() throws Exception {
    var limits =
        limits()
            .executor(
                task -> {
                  throw new RejectedExecutionException("full on purpose");
                })
            .build();
    try (EchoServer server = new EchoServer(watch, limits)) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      late.arrival.complete(null);

      assertFailsWith(Status.Code.UNAVAILABLE, waiting);
      assertThat(limiter.peek(PEER).used()).isZero();
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void aDecisionThatFailsLateAdmitsNobody() throws Exception {
    try (EchoServer server = new EchoServer(watch, limits().build())) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      late.arrival.completeExceptionally(new IllegalStateException("on purpose"));

      assertFailsWith(Status.Code.INTERNAL, waiting);
      assertThat(server.handled()).isZero();
    }
  }

  @Test
  void aServiceThatFailsAfterALateStartEndsTheCall() throws Exception {
    ServerInterceptor failing =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (EchoServer server = new EchoServer(watch, limits().build(), failing)) {
      ListenableFuture<String> waiting = say(server.channel());
      watch.waiting.await();
      late.arrival.complete(null);

      assertFailsWith(Status.Code.UNKNOWN, waiting);
    }
  }

  /** Tells what the server sees of the call. */
  private static final class Watch implements ServerInterceptor {
    /** It has come through all interceptors; the decision is awaited. */
    final CountDownLatch waiting = new CountDownLatch(1);

    final CountDownLatch cancelled = new CountDownLatch(1);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      ServerCall.Listener<Q> listener = next.startCall(call, headers);
      waiting.countDown();
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onCancel() {
          super.onCancel();
          cancelled.countDown();
        }
      };
    }
  }
}
