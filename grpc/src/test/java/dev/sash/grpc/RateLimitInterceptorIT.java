package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.Sash;
import dev.sash.key.Keys;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits on a real server, asked by a real client. */
@Timeout(120)
class RateLimitInterceptorIT {
  private static final Context.Key<String> USER = Context.key("user");

  private final ManualClock clock = new ManualClock();

  private RateLimiter limiter(String name, String limit) {
    return InMemoryStore.builder()
        .clock(clock)
        .build()
        .limiter(Policy.of(name, Limit.parse(limit)));
  }

  @Test
  void ofTwoHundredParallelCallsExactlyFiftyAreAdmitted() throws Exception {
    var limits = RateLimitInterceptor.of(limiter("api", "50/1m"), CallKey.peer());
    try (EchoServer server = new EchoServer(limits)) {
      assertThat(admittedOfTwoHundred(server)).isEqualTo(50);
      assertThat(server.handled()).isEqualTo(50);
    }
  }

  static int admittedOfTwoHundred(EchoServer server) throws InterruptedException {
    List<ListenableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(
          ClientCalls.futureUnaryCall(
              server.channel().newCall(EchoServer.SAY, EchoServer.patiently()), "hello"));
    }
    int admitted = 0;
    for (ListenableFuture<String> call : calls) {
      try {
        assertThat(call.get()).isEqualTo("hello");
        admitted++;
      } catch (ExecutionException e) {
        assertThat(Status.fromThrowable(e.getCause()).getCode())
            .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      }
    }
    return admitted;
  }

  @Test
  void aClientThatComesBackWhenToldIsAdmittedAndOneTickEarlierIsNot() throws Exception {
    var limits = RateLimitInterceptor.of(limiter("api", "2/1m"), CallKey.peer());
    try (EchoServer server = new EchoServer(limits)) {
      server.call(EchoServer.SAY);
      clock.advanceMicros(12_345_678);
      server.call(EchoServer.SAY);
      Denied denied = Denied.by(() -> server.call(EchoServer.SAY));

      assertThat(denied.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(denied.retryAfter()).isEqualTo(Duration.ofNanos(47_654_322_000L));
      assertThat(denied.pushback()).isEqualTo("47655");
      assertThat(denied.description()).isEqualTo("limit 'api' exceeded, retry after 48 s");
      assertThat(denied.details().getMessage()).isEqualTo(denied.description());

      clock.advance(denied.retryAfter().minusNanos(1_000));
      assertThat(Denied.by(() -> server.call(EchoServer.SAY)).retryAfter())
          .isEqualTo(Duration.ofNanos(1_000));
      clock.advanceMicros(1);
      assertThat(server.call(EchoServer.SAY)).isEqualTo("hello");
    }
  }

  @Test
  void aClientWithARetryPolicyComesBackByItself() throws Exception {
    // By its own back-off it would come back in an hour.
    Map<String, ?> config =
        Map.of(
            "methodConfig",
            List.of(
                Map.of(
                    "name",
                    List.of(Map.of("service", "test.Echo")),
                    "retryPolicy",
                    Map.of(
                        "maxAttempts",
                        3.0,
                        "initialBackoff",
                        "3600s",
                        "maxBackoff",
                        "3600s",
                        "backoffMultiplier",
                        1.0,
                        "retryableStatusCodes",
                        List.of("RESOURCE_EXHAUSTED")))));
    RateLimiter byRealClock = Sash.inMemory(Policy.of("api", Limit.parse("1/300ms")));
    try (EchoServer server = new EchoServer(RateLimitInterceptor.of(byRealClock, CallKey.peer()))) {
      ManagedChannel retrying = server.channel(config);
      try {
        for (int i = 0; i < 3; i++) {
          assertThat(EchoServer.call(retrying, EchoServer.SAY)).isEqualTo("hello");
        }
      } finally {
        retrying.shutdownNow();
      }
    }
  }

  @Test
  void whatCanNeverBeAdmittedIsNotToBeRetried() throws Exception {
    var limits =
        RateLimitInterceptor.builder()
            .otherwise(limiter("api", "5/1m"), CallKey.peer())
            .cost("test.Echo/Shout", 6)
            .build();
    try (EchoServer server = new EchoServer(limits)) {
      Denied denied = Denied.by(() -> server.call(EchoServer.SHOUT));

      assertThat(denied.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(denied.description())
          .isEqualTo("this call costs more than limit 'api' ever admits");
      assertThat(denied.details().getDetailsList()).isEmpty();
      assertThat(denied.pushback()).isEqualTo("-1");
      assertThat(server.call(EchoServer.SAY)).isEqualTo("hello");
    }
  }

  @Test
  void aCallCostsWhatIsSaid() throws Exception {
    RateLimiter limiter = limiter("api", "10/1m");
    var limits =
        RateLimitInterceptor.builder()
            .otherwise(limiter, CallKey.peer())
            .cost("test.Echo", 2)
            .cost("test.Echo/Shout", 5)
            .build();
    try (EchoServer server = new EchoServer(limits)) {
      server.call(EchoServer.SHOUT);
      server.call(EchoServer.SAY);

      assertThat(limiter.peek("ip:127.0.0.1").used()).isEqualTo(7);
      assertThat(limiter.peek("ip:127.0.0.1").remaining()).isEqualTo(3);
    }
  }

  @Test
  void keysAreFoundInTheMetadata() throws Exception {
    RateLimiter limiter = limiter("api", "1/1m");
    var limits =
        RateLimitInterceptor.of(
            limiter, CallKey.apiKey("x-api-key").orElse(CallKey.metadata("x-client")));
    try (EchoServer server = new EchoServer(limits)) {
      server.callWith(EchoServer.SAY, "x-api-key", "one");
      server.callWith(EchoServer.SAY, "x-api-key", "two");
      server.callWith(EchoServer.SAY, "X-Client", "three");
      Denied.by(() -> server.callWith(EchoServer.SAY, "x-api-key", "one"));

      assertThat(limiter.peek(Keys.ofApiKey("one")).used()).isOne();
      assertThat(limiter.peek("apikey:one").used()).isZero();
      assertThat(limiter.peek("metadata:x-client:three").used()).isOne();
    }
  }

  @Test
  void whoSendsNoKeyIsLimitedByAddress() throws Exception {
    RateLimiter limiter = limiter("api", "1/1m");
    var limits = RateLimitInterceptor.of(limiter, CallKey.apiKey("x-api-key"));
    try (EchoServer server = new EchoServer(limits)) {
      server.call(EchoServer.SAY);
      Denied.by(() -> server.call(EchoServer.SAY));
      Denied.by(() -> server.callWith(EchoServer.SAY, "x-api-key", ""));

      assertThat(limiter.peek("ip:127.0.0.1").used()).isOne();
    }
  }

  @Test
  void keysAreFoundInTheContextOfTheInterceptorInFront() throws Exception {
    RateLimiter limiter = limiter("api", "1/1m");
    var limits =
        RateLimitInterceptor.of(limiter, CallKey.context("user", USER).and(CallKey.method()));
    try (EchoServer server = new EchoServer(new Login(), limits)) {
      server.callWith(EchoServer.SAY, "user", "ann");
      server.callWith(EchoServer.SAY, "user", "bob");
      server.callWith(EchoServer.SHOUT, "user", "ann");
      Denied.by(() -> server.callWith(EchoServer.SAY, "user", "ann"));

      assertThat(limiter.peek("(user:ann|method:test.Echo/Say)").used()).isOne();
    }
  }

  @Test
  void noKeyIsToldWhateverItLooksLike() throws Exception {
    var limits = RateLimitInterceptor.of(limiter("api", "1/1m"), CallKey.metadata("x-client"));
    try (EchoServer server = new EchoServer(limits)) {
      for (String key : new String[] {"mallory", "%0amallory", "mallory'; '" + "m".repeat(2000)}) {
        server.callWith(EchoServer.SAY, "x-client", key);
        Denied denied = Denied.by(() -> server.callWith(EchoServer.SAY, "x-client", key));

        assertThat(denied.failure().toString()).doesNotContain("mallory");
        assertThat(denied.failure().getTrailers().toString()).doesNotContain("mallory");
        assertThat(denied.details().toString()).doesNotContain("mallory");
      }
    }
  }

  @Test
  void aMethodGoesBeforeItsServiceAndThatBeforeAllOthers() throws Exception {
    var limits =
        RateLimitInterceptor.builder()
            .forMethod("test.Echo/Shout", limiter("shout", "1/1m"), CallKey.peer())
            .forService("test.Echo", limiter("echo", "2/1m"), CallKey.peer())
            .otherwise(limiter("other", "3/1m"), CallKey.peer())
            .build();
    try (EchoServer server = new EchoServer(limits)) {
      server.call(EchoServer.SHOUT);
      server.call(EchoServer.SAY);
      server.call(EchoServer.SAY);

      assertThat(Denied.by(() -> server.call(EchoServer.SHOUT)).description()).contains("'shout'");
      assertThat(Denied.by(() -> server.call(EchoServer.SAY)).description()).contains("'echo'");
    }
  }

  @Test
  void healthChecksAndReflectionAreExemptUnlessARuleNamesThem() throws Exception {
    var all = RateLimitInterceptor.of(limiter("api", "1/1m"), CallKey.peer());
    try (EchoServer server = new EchoServer(all)) {
      server.call(EchoServer.SAY);
      Denied.by(() -> server.call(EchoServer.SAY));
      for (int i = 0; i < 5; i++) {
        server.call(EchoServer.HEALTH);
        server.call(EchoServer.REFLECTION);
      }
    }
    var named =
        RateLimitInterceptor.builder()
            .forService("grpc.health.v1.Health", limiter("health", "1/1m"), CallKey.peer())
            .build();
    try (EchoServer server = new EchoServer(named)) {
      server.call(EchoServer.HEALTH);
      Denied.by(() -> server.call(EchoServer.HEALTH));
      server.call(EchoServer.SAY);
      server.call(EchoServer.SAY);
    }
  }

  @Test
  void oneMethodOfALimitedServiceCanBeExempt() throws Exception {
    var limits =
        RateLimitInterceptor.builder()
            .otherwise(limiter("api", "1/1m"), CallKey.peer())
            .exempt("test.Echo/Shout")
            .build();
    try (EchoServer server = new EchoServer(limits)) {
      server.call(EchoServer.SAY);
      Denied.by(() -> server.call(EchoServer.SAY));
      server.call(EchoServer.SHOUT);
      server.call(EchoServer.SHOUT);
    }
  }

  @Test
  void aStreamIsChargedOnceHoweverManyMessagesItHas() throws Exception {
    RateLimiter limiter = limiter("api", "2/1m");
    try (EchoServer server = new EchoServer(RateLimitInterceptor.of(limiter, CallKey.peer()))) {
      assertThat(Talk.with(server, List.of("a", "b", "c", "d", "e")))
          .containsExactly("a", "b", "c", "d", "e");
      assertThat(limiter.peek("ip:127.0.0.1").used()).isOne();
      assertThat(Talk.with(server, List.of())).isEmpty();
      assertThatThrownBy(() -> Talk.with(server, List.of("a")))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("RESOURCE_EXHAUSTED");
    }
  }

  @Test
  void aLimiterThatFailsAdmitsNobody() throws Exception {
    RateLimiter failing =
        Sash.inMemory(
            Policy.named("api")
                .withTiers(
                    key -> {
                      throw new IllegalStateException("mallory");
                    }));
    try (EchoServer server = new EchoServer(RateLimitInterceptor.of(failing, CallKey.peer()))) {
      Denied denied = Denied.by(() -> server.call(EchoServer.SAY));

      assertThat(denied.code()).isEqualTo(Status.Code.INTERNAL);
      assertThat(denied.description()).isEqualTo("the limit could not be checked");
      assertThat(server.handled()).isZero();
    }
  }

  /** Believes whoever says who they are. */
  static final class Login implements ServerInterceptor {
    private static final Metadata.Key<String> NAME =
        Metadata.Key.of("user", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      return Contexts.interceptCall(
          Context.current().withValue(USER, headers.get(NAME)), call, headers, next);
    }

    static String user() {
      return String.valueOf(USER.get());
    }
  }
}
