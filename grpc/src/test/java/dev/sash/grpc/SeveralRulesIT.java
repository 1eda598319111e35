package dev.sash.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.StoreDecorator;
import dev.sash.testkit.ManualClock;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several rules for one call, on a real server: it is charged to all of them or to none. */
@Timeout(120)
class SeveralRulesIT {
  private static final String PEER = "ip:127.0.0.1";

  private final InMemoryStore store = InMemoryStore.builder().clock(new ManualClock()).build();

  private final RateLimiter wide = limiter("wide", "9/1h");
  private final RateLimiter narrow = limiter("narrow", "1/1m");
  private final CallRule wideRule = CallRule.of(wide, CallKey.peer());
  private final CallRule narrowRule = CallRule.of(narrow, CallKey.peer());

  private RateLimiter limiter(String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private static RateLimitInterceptor.Builder limits(CallRule... rules) {
    RateLimitInterceptor.Builder builder = RateLimitInterceptor.builder();
    for (CallRule rule : rules) {
      builder.rule(rule);
    }
    return builder;
  }

  private static Predicate<CallRule> of(String policy) {
    return rule -> rule.policy().equals(policy);
  }

  private static long used(RateLimiter limiter) {
    return limiter.peek(PEER).used();
  }

  @Test
  void aDeniedCallIsChargedToNoPolicyWhateverTheirOrder() throws Exception {
    for (RateLimitInterceptor limits :
        new RateLimitInterceptor[] {
          limits(wideRule, narrowRule).build(),
          limits(narrowRule, wideRule).build(),
          limits(narrowRule).otherwise(wide, CallKey.peer()).build()
        }) {
      wide.reset(PEER);
      narrow.reset(PEER);
      try (EchoServer server = new EchoServer(limits)) {
        server.call(EchoServer.SAY);
        Denied denied = Denied.by(() -> server.call(EchoServer.SAY));

        assertThat(denied.description()).isEqualTo("limit 'narrow' exceeded, retry after 60 s");
        assertThat(used(wide)).isOne();
        assertThat(server.handled()).isOne();
      }
    }
  }

  @Test
  void theLongestWaitIsTheOneThatCounts() throws Exception {
    CallRule longest = CallRule.of(limiter("longest", "1/1h"), CallKey.peer());
    CallRule never = CallRule.of(limiter("never", "1/1s"), CallKey.peer()).cost(2);
    try (EchoServer server =
        new EchoServer(limits(narrowRule, longest.forMethods("test.Echo/Say")).build())) {
      server.call(EchoServer.SAY);
      assertThat(Denied.by(() -> server.call(EchoServer.SAY)).retryAfter())
          .isEqualTo(Duration.ofHours(1));
      assertThat(Denied.by(() -> server.call(EchoServer.SHOUT)).retryAfter())
          .isEqualTo(Duration.ofMinutes(1));
    }
    try (EchoServer server = new EchoServer(limits(never, narrowRule).build())) {
      assertThat(Denied.by(() -> server.call(EchoServer.SAY)).pushback()).isEqualTo("-1");
    }
  }

  @Test
  void aShadowRuleDeniesNothing() throws Exception {
    try (EchoServer server = new EchoServer(limits(narrowRule.shadowIf(() -> true)).build())) {
      server.call(EchoServer.SAY);
      server.call(EchoServer.SAY);

      assertThat(used(narrow)).isOne();
    }
  }

  @Test
  void aRuleCanEndTheSearchAndSkipCallsWithoutItsKey() throws Exception {
    CallRule tenant = CallRule.of(wide, CallKey.metadata("tenant")).skippedWithoutKey().cost(2);
    try (EchoServer server =
        new EchoServer(
            limits(tenant, wideRule.forMethods("test.Echo/Say").thenStop(), narrowRule).build())) {
      server.callWith(EchoServer.SAY, "tenant", "blue");
      server.call(EchoServer.SAY);

      assertThat(wide.peek("metadata:tenant:blue").used()).isEqualTo(2);
      assertThat(used(wide)).isEqualTo(2);
      assertThat(used(narrow)).isZero();
    }
  }

  @Test
  void whatALaterInterceptorDeniesIsNotChargedByAnEarlierOne() throws Exception {
    RateLimitInterceptor both = limits(wideRule, narrowRule).build();
    try (EchoServer server =
        new EchoServer(both.withRules(of("wide")), both.withRules(of("narrow")))) {
      server.call(EchoServer.SAY);
      Denied denied = Denied.by(() -> server.call(EchoServer.SAY));

      assertThat(denied.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(used(wide)).isOne();
      assertThat(used(narrow)).isOne();
    }
  }

  @Test
  void aRuleThatEndsTheSearchDoesSoForTheInterceptorThatDoesNotChargeIt() throws Exception {
    RateLimitInterceptor both = limits(wideRule.thenStop(), narrowRule).build();
    try (EchoServer server =
        new EchoServer(both.withRules(of("wide")), both.withRules(of("narrow")))) {
      server.call(EchoServer.SAY);
      server.call(EchoServer.SAY);

      assertThat(used(narrow)).isZero();
    }
  }

  @Test
  void aFailureOfOnePolicyChargesNoOther() throws Exception {
    StoreDecorator broken =
        new StoreDecorator(store) {
          @Override
          public Decision decide(
              Operation operation, ResolvedLimits limits, String key, long permits) {
            throw new IllegalStateException("broken");
          }

          @Override
          public CompletionStage<Decision> decideAsync(
              Operation operation, ResolvedLimits limits, String key, long permits) {
            return CompletableFuture.failedFuture(new IllegalStateException("broken"));
          }
        };
    CallRule failing =
        CallRule.of(broken.limiter(Policy.of("failing", Limit.parse("1/1s"))), CallKey.peer());
    RateLimitInterceptor limits = limits(wideRule, failing).build();
    for (EchoServer server :
        new EchoServer[] {
          new EchoServer(limits),
          new EchoServer(limits.withRules(of("wide")), limits.withRules(of("failing")))
        }) {
      try (server) {
        assertThat(Denied.by(() -> server.call(EchoServer.SAY)).code())
            .isEqualTo(Status.Code.INTERNAL);
        assertThat(used(wide)).isZero();
        assertThat(server.handled()).isZero();
      }
    }
  }
}
