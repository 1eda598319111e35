package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Decisions;
import dev.sash.store.FailureRules;
import dev.sash.store.Operation;
import dev.sash.store.ResolvedLimits;
import dev.sash.store.Store;
import dev.sash.store.StoreDecorator;
import dev.sash.store.StoreException;
import dev.sash.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is charged for a request, to whom, and what is given back. */
class ChargeTest {
  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private final RateLimiter many = limiter("many", "1000/1m");

  private RateLimiter limiter(String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private static HttpLimiter with(HttpRule... rules) {
    HttpLimiter.Builder builder = HttpLimiter.builder();
    List.of(rules).forEach(builder::rule);
    return builder.build();
  }

  private static Verdict check(HttpLimiter limiter, RequestView request) {
    return limiter.check(request).toCompletableFuture().join();
  }

  private static List<String> keys(Verdict verdict) {
    return verdict.decisions().stream().map(PolicyDecision::key).toList();
  }

  @Test
  void severalPoliciesAreChargedAllOrNotAtAll() {
    RateLimiter perAddress = limiter("per-address", "3/1m");
    RateLimiter perUser = limiter("per-user", "2/1h");
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(perAddress, KeyExtractor.clientAddress())
                .charge(perUser, KeyExtractor.principal()));
    TestRequest ann = TestRequest.get("/").principal("ann");
    TestRequest bob = TestRequest.get("/").principal("bob");

    assertThat(check(limiter, ann).allowed()).isTrue();
    assertThat(check(limiter, ann).allowed()).isTrue();
    Verdict denied = check(limiter, ann);
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.headers())
        .containsEntry("RateLimit-Policy", "\"per-address\";q=3;w=60, \"per-user\";q=2;w=3600")
        .containsEntry("RateLimit", "\"per-address\";r=1;t=60, \"per-user\";r=0;t=3600")
        .containsEntry("Retry-After", "3600")
        .containsEntry("Cache-Control", "no-store");
    assertThat(denied.body()).contains("\"violated-policies\":[\"per-user\"]");
    assertThat(check(limiter, bob).allowed()).as("ann's denial left room for bob").isTrue();
    assertThat(check(limiter, bob).body()).contains("\"violated-policies\":[\"per-address\"]");
  }

  @Test
  void clientsThatWaitForRetryAfterAreAdmittedAndNotBefore() {
    RateLimiter slow = limiter("slow", "2/1m");
    RateLimiter fast = limiter("fast", "1/1s");
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(fast, KeyExtractor.clientAddress())
                .charge(slow, KeyExtractor.clientAddress()));
    TestRequest request = TestRequest.get("/");
    check(limiter, request);
    clock.advance(Duration.ofMillis(1_500));
    check(limiter, request);

    Verdict denied = check(limiter, request);

    assertThat(denied.headers()).containsEntry("Retry-After", "59"); // 58.5 s
    clock.advance(Duration.ofMillis(58_499));
    assertThat(check(limiter, request).headers()).containsEntry("Retry-After", "1");
    clock.advance(Duration.ofMillis(1));
    assertThat(check(limiter, request).allowed()).isTrue();
  }

  @Test
  void whoLeavesTheKeyAwayIsLimitedByAddress() {
    HttpLimiter limiter = with(HttpRule.forEverything().charge(many, KeyExtractor.principal()));
    HttpLimiter skipping =
        with(
            HttpRule.forEverything()
                .charge(Charge.of(many, KeyExtractor.principal()).skippedWithoutKey()));

    assertThat(keys(check(limiter, TestRequest.get("/").principal("ann"))))
        .containsExactly("user:ann");
    assertThat(keys(check(limiter, TestRequest.get("/")))).containsExactly("ip:192.0.2.1");
    assertThat(keys(check(skipping, TestRequest.get("/")))).isEmpty();
  }

  @Test
  void aRequestCostsWhatTheRuleSays() {
    HttpLimiter limiter =
        HttpLimiter.builder()
            .trustedProxies(TrustedProxies.xForwardedFor("10.0.0.0/8"))
            .rule(
                HttpRule.forPaths("/export")
                    .charge(Charge.of(many, KeyExtractor.everybody()).cost(RequestCost.fixed(10))))
            .rule(
                HttpRule.forPaths("/graph")
                    .charge(
                        Charge.of(many, KeyExtractor.everybody())
                            .cost(RequestCost.trustedHeader("X-Cost", 5))))
            .rule(
                HttpRule.forPaths("/batch")
                    .charge(
                        Charge.of(many, KeyExtractor.everybody())
                            .cost(r -> Long.parseLong(r.queryParameter("n")))))
            .build();
    Tables.rows(
            """
            /export    | 192.0.2.1 | -           | 10
            /graph     | 10.0.0.1  | 7           | 7
            /graph     | 10.0.0.1  | 0           | 0
            /graph     | 10.0.0.1  | -           | 5
            /graph     | 10.0.0.1  | x           | 5
            /graph     | 10.0.0.1  | -7          | 5
            /graph     | 10.0.0.1  | 1000000001  | 5
            /graph     | 10.0.0.1  | 99999999999 | 5
            /graph     | 192.0.2.1 | 0           | 5
            /batch?n=3 | 192.0.2.1 | -           | 3
            """)
        .forEach(
            row -> {
              many.reset("all:");
              TestRequest request = TestRequest.get(row.get(0)).peer(row.get(1));
              check(limiter, request.header("X-Cost", row.get(2)));
              assertThat(many.peek("all:").used()).as("%s", row).isEqualTo(number(row.get(3)));
            });
    many.reset("all:");
    TestRequest twice = TestRequest.get("/graph").peer("10.0.0.1").header("X-Cost", "1", "0");
    check(limiter, twice);
    assertThat(many.peek("all:").used()).isEqualTo(5);
    assertThatThrownBy(() -> check(limiter, TestRequest.get("/batch?n=-1")))
        .hasRootCauseMessage("permits must be between 0 and 1000000000, was -1");
    assertThatThrownBy(() -> RequestCost.fixed(-1))
        .hasMessage("permits must be between 0 and 1000000000, was -1");
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }

  @Test
  void aShadowPolicyCountsAndDeniesNothing() {
    AtomicBoolean shadow = new AtomicBoolean(true);
    RateLimiter tried = limiter("tried", "2/1m");
    RateLimiter real = limiter("real", "4/1m");
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(Charge.of(tried, KeyExtractor.everybody()).shadowIf(shadow::get))
                .charge(real, KeyExtractor.everybody()));
    TestRequest request = TestRequest.get("/");

    for (int i = 0; i < 4; i++) {
      Verdict admitted = check(limiter, request);
      assertThat(admitted.allowed()).isTrue();
      assertThat(admitted.decisions()).extracting(PolicyDecision::policy).containsExactly("real");
      assertThat(admitted.headers().get("RateLimit")).startsWith("\"real\"");
    }
    assertThat(tried.peek("all:").used()).isEqualTo(2);
    assertThat(check(limiter, request).decisions())
        .as("denied by the real one")
        .extracting(PolicyDecision::policy)
        .containsExactly("real");

    clock.advance(Duration.ofMinutes(1));
    check(limiter, request).giveBack();
    assertThat(tried.peek("all:").used()).isZero();
    assertThat(real.peek("all:").used()).isZero();

    shadow.set(false);
    check(limiter, request);
    check(limiter, request);
    Verdict denied = check(limiter, request);
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.body()).contains("\"violated-policies\":[\"tried\"]");
    assertThat(real.peek("all:").used()).isEqualTo(2);
  }

  @Test
  void onlyFailuresAreChargedIfTheRuleSaysSo() {
    RateLimiter logins = limiter("logins", "2/15m");
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(
                    Charge.of(logins, KeyExtractor.clientAddress())
                        .onlyIfStatus(status -> status == 401))
                .charge(many, KeyExtractor.clientAddress()));
    TestRequest request = TestRequest.get("/");
    String key = "ip:192.0.2.1";

    Verdict success = check(limiter, request);
    assertThat(success.dependsOnOutcome()).isTrue();
    assertThat(logins.peek(key).used()).as("charged until the response is done").isEqualTo(1);
    success.settle(200);
    assertThat(logins.peek(key).used()).isZero();
    assertThat(many.peek(key).used()).as("charged whatever the status").isEqualTo(1);

    Verdict failed = check(limiter, request);
    failed.settle(401);
    failed.settle(200);
    failed.giveBack();
    assertThat(logins.peek(key).used()).as("settled once").isEqualTo(1);

    Verdict given = check(limiter, request);
    given.giveBack();
    given.giveBack();
    given.settle(200);
    assertThat(logins.peek(key).used()).isEqualTo(1);
    assertThat(many.peek(key).used()).isEqualTo(2);

    check(limiter, request).settle(401);
    Verdict denied = check(limiter, request);
    assertThat(denied.allowed()).isFalse();
    denied.settle(200);
    assertThat(logins.peek(key).used()).isEqualTo(2);
  }

  @Test
  void parallelGuessesGetNoFurtherThanTheLimit() {
    RateLimiter logins = limiter("logins", "5/15m");
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(
                    Charge.of(logins, KeyExtractor.everybody())
                        .onlyIfStatus(status -> status == 401)));

    long admitted = 0;
    for (int i = 0; i < 100; i++) { // none of which is answered yet
      admitted += check(limiter, TestRequest.get("/")).allowed() ? 1 : 0;
    }

    assertThat(admitted).isEqualTo(5);
  }

  @Test
  void aChargeStaysIfItsConditionFails() {
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(
                    Charge.of(many, KeyExtractor.everybody())
                        .onlyIfStatus(
                            status -> {
                              throw new IllegalStateException("broken on purpose");
                            }))
                .charge(Charge.of(many, KeyExtractor.path()).onlyIfStatus(status -> false)));

    check(limiter, TestRequest.get("/")).settle(200);

    assertThat(many.peek("all:").used()).isEqualTo(1);
    assertThat(many.peek("path:/").used()).as("the others are settled").isZero();
  }

  @Test
  void whatAFailureRuleAdmittedIsNotGivenBackToAStoreThatHasRecovered() {
    Limit limit = Limit.parse("1000/1m");
    many.tryAcquire("all:", 5);
    RateLimiter open =
        LateStore.always(store, Decisions.allowed(limit, 1, 999, 1, Source.FAILURE_RULE))
            .limiter(many.policy());
    HttpLimiter failures =
        with(
            HttpRule.forEverything()
                .charge(
                    Charge.of(open, KeyExtractor.everybody())
                        .onlyIfStatus(status -> status > 400)));
    HttpLimiter denying =
        with(
            HttpRule.forEverything()
                .charge(open, KeyExtractor.everybody())
                .charge(
                    Charge.of(many, KeyExtractor.path()).cost(RequestCost.fixed(1_000_000_000))));

    check(failures, TestRequest.get("/")).settle(200);
    check(failures, TestRequest.get("/")).giveBack();
    assertThat(check(denying, TestRequest.get("/")).allowed()).isFalse();

    assertThat(many.peek("all:").used()).isEqualTo(5);
  }

  @Test
  void whatTheFallbackAdmittedIsRefundedThereAndNotToAStoreThatHasRecovered() {
    Recovering recovering = new Recovering(store);
    RateLimiter logins =
        new FailureRules(recovering, 1, InMemoryStore::create)
            .limiter(Policy.of("logins", Limit.parse("2/15m")));
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(
                    Charge.of(logins, KeyExtractor.everybody())
                        .onlyIfStatus(status -> status == 401)));
    recovering.down = true;
    Verdict local = check(limiter, TestRequest.get("/"));
    recovering.down = false;
    check(limiter, TestRequest.get("/")).settle(401);

    local.settle(200);

    assertThat(local.decisions().get(0).decision().source()).isEqualTo(Source.LOCAL);
    assertThat(logins.peek("all:").used()).as("the failed login still counts").isEqualTo(1);
    recovering.down = true;
    assertThat(logins.peek("all:").used())
        .as("1 in the store, and the fallback's was refunded")
        .isEqualTo(1);
  }

  /** A store that is unavailable while the test says so. */
  private static final class Recovering extends StoreDecorator {
    boolean down;

    Recovering(Store store) {
      super(store);
    }

    @Override
    public Decision decide(Operation operation, ResolvedLimits limits, String key, long permits) {
      if (down) {
        throw new StoreException(StoreException.Reason.UNAVAILABLE, "down", null);
      }
      return store.decide(operation, limits, key, permits);
    }
  }

  @Test
  void theTierIsFoundOncePerRequest() {
    AtomicInteger calls = new AtomicInteger();
    RateLimiter tiered =
        store.limiter(
            Policy.of("tiered", Limit.parse("1/1m"))
                .withTiers(
                    key -> {
                      calls.incrementAndGet();
                      return List.of(Limit.parse("2/1m"));
                    }));
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(Charge.of(tiered, KeyExtractor.everybody()).onlyIfStatus(status -> false))
                .charge(many, KeyExtractor.everybody()));

    check(limiter, TestRequest.get("/")).settle(200);
    assertThat(calls).as("admitted and refunded").hasValue(1);
    assertThat(tiered.peek("all:").used()).isZero();

    tiered.tryAcquire("all:", 2);
    calls.set(0);
    Verdict denied = check(limiter, TestRequest.get("/"));
    assertThat(calls).as("denied").hasValue(1);
    assertThat(denied.headers())
        .containsEntry("RateLimit", "\"tiered\";r=0;t=60, \"many\";r=999;t=60");
  }

  @Test
  void aTierThatCannotBeFoundLeavesNothingCharged() {
    RateLimiter tiered =
        store.limiter(
            Policy.of("tiered", Limit.parse("5/1m"))
                .withTiers(
                    key -> {
                      throw new IllegalStateException("broken on purpose");
                    }));
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(many, KeyExtractor.everybody())
                .charge(tiered, KeyExtractor.everybody()));

    assertThatThrownBy(() -> check(limiter, TestRequest.get("/")))
        .hasRootCauseMessage("broken on purpose");
    assertThat(many.peek("all:").used()).isZero();
  }
}
