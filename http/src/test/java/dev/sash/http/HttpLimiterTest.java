package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.key.Keys;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Decisions;
import dev.sash.testkit.ManualClock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HttpLimiterTest {
  private final InMemoryStore store = InMemoryStore.builder().clock(new ManualClock()).build();
  private final RateLimiter one = limiter("one", "1/1m");
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

  private static List<String> policies(Verdict verdict) {
    return verdict.decisions().stream().map(PolicyDecision::policy).toList();
  }

  private static List<String> keys(Verdict verdict) {
    return verdict.decisions().stream().map(PolicyDecision::key).toList();
  }

  @Test
  void theFirstRuleThatFitsHolds() {
    HttpLimiter limiter =
        with(
            HttpRule.forPaths("/login")
                .methods("POST", "put")
                .charge(limiter("login", "9/1m"), KeyExtractor.clientAddress()),
            HttpRule.forPaths("/api/**", "/v1/**")
                .methods("GET")
                .charge(limiter("read", "9/1m"), KeyExtractor.clientAddress()),
            HttpRule.forPaths("/api/free").methods("POST"),
            HttpRule.forPaths("/api/**")
                .when(request -> "gold".equals(request.header("X-Plan")))
                .charge(limiter("gold", "9/1m"), KeyExtractor.clientAddress()),
            HttpRule.forPaths("/api/**")
                .charge(limiter("write", "9/1m"), KeyExtractor.clientAddress()));
    Tables.rows(
            """
            POST   | /login         | login
            PUT    | /login         | login
            post   | /login         | login
            POST   | //login;x/     | login
            GET    | /login         | -
            GET    | /api/x         | read
            HEAD   | /api/x         | read
            GET    | /v1            | read
            POST   | /api/x         | write
            POST   | /api%2Fx       | write
            POST   | /api/free      | -
            DELETE | /api/free      | write
            GET    | /elsewhere     | -
            """)
        .forEach(
            row -> {
              Verdict verdict = check(limiter, TestRequest.of(row.get(0), row.get(1)));
              assertThat(verdict.allowed()).isTrue();
              assertThat(String.join(" ", policies(verdict))).as("%s", row).isEqualTo(row.get(2));
            });
    assertThat(policies(check(limiter, TestRequest.of("POST", "/api/x").header("X-Plan", "gold"))))
        .containsExactly("gold");
  }

  @Test
  void rulesThatContinueAddUp() {
    HttpLimiter limiter =
        with(
            HttpRule.forEverything().charge(many, KeyExtractor.everybody()).thenContinue(),
            HttpRule.forPaths("/login").charge(one, KeyExtractor.clientAddress()),
            HttpRule.forEverything().charge(many, KeyExtractor.clientAddress()));

    assertThat(keys(check(limiter, TestRequest.get("/login"))))
        .containsExactly("all:", "ip:192.0.2.1");
    assertThat(policies(check(limiter, TestRequest.get("/login")))).containsExactly("many", "one");
    assertThat(policies(check(limiter, TestRequest.get("/")))).containsExactly("many", "many");
  }

  @Test
  void healthChecksAreExemptUnlessSomebodyPlaysTricks() {
    HttpRule everything = HttpRule.forEverything().charge(many, KeyExtractor.clientAddress());
    HttpLimiter limiter = HttpLimiter.builder().exempt("/static/**").rule(everything).build();
    HttpLimiter strict = HttpLimiter.builder().limitHealthChecks().rule(everything).build();
    Tables.rows(
            """
            /livez                        | exempt
            /readyz                       | exempt
            /healthz                      | exempt
            /health                       | exempt
            /health/                      | exempt
            /actuator/health              | exempt
            /actuator/health/liveness     | exempt
            /static/a.css                 | exempt
            /health/x                     | limited
            /actuator                     | limited
            /Health                       | limited
            /x/../health                  | limited
            /login/%2e%2e/health          | limited
            /login%2F..%2Fhealth          | limited
            /actuator/health/..%2f..%2fx  | limited
            /actuator/health/..;/..;/x    | limited
            /static/../login              | limited
            """)
        .forEach(
            row -> {
              Verdict verdict = check(limiter, TestRequest.get(row.get(0)));
              assertThat(verdict.decisions().isEmpty() ? "exempt" : "limited")
                  .as("%s", row)
                  .isEqualTo(row.get(1));
              assertThat(check(strict, TestRequest.get(row.get(0))).decisions()).isNotEmpty();
            });
    assertThat(check(limiter, TestRequest.get("/health")).headers()).isEmpty();
  }

  @Test
  void listsComeBeforeLimits() {
    HttpLimiter limiter =
        HttpLimiter.builder()
            .allowAddresses("198.51.100.0/24")
            .denyAddresses("203.0.113.0/24", "198.51.100.66")
            .allowKeys("user:root")
            .denyKeys("user:eve", Keys.ofApiKey("stolen"))
            .rule(
                HttpRule.forEverything()
                    .charge(Charge.of(many, KeyExtractor.apiKey("X-Api-Key")).skippedWithoutKey())
                    .charge(many, KeyExtractor.principal()))
            .build();
    Tables.rows(
            """
            192.0.2.1      | ann  | -      | limited
            198.51.100.1   | ann  | -      | free
            198.51.100.66  | ann  | -      | 403
            203.0.113.1    | root | -      | 403
            192.0.2.1      | root | -      | free
            192.0.2.1      | eve  | -      | 403
            192.0.2.1      | root | stolen | 403
            192.0.2.1      | ann  | stolen | 403
            192.0.2.1      | ann  | mine   | limited
            """)
        .forEach(
            row -> {
              TestRequest request = TestRequest.get("/").peer(row.get(0)).principal(row.get(1));
              Verdict verdict = check(limiter, request.header("X-Api-Key", row.get(2)));
              String expected = row.get(3);
              assertThat(verdict.status())
                  .as("%s", row)
                  .isEqualTo(expected.equals("403") ? 403 : 200);
              assertThat(verdict.decisions().isEmpty())
                  .as("%s", row)
                  .isEqualTo(!expected.equals("limited"));
            });
    Verdict refused = check(limiter, TestRequest.get("/health").peer("203.0.113.1"));
    assertThat(refused.headers())
        .containsOnlyKeys("Cache-Control", "Content-Type")
        .containsEntry("Content-Type", "application/problem+json");
  }

  @Test
  void aRequestLargerThanTheLimitIsNotToldToWait() {
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(Charge.of(one, KeyExtractor.everybody()).cost(RequestCost.fixed(2))));

    Verdict verdict = check(limiter, TestRequest.get("/"));

    assertThat(verdict.status()).isEqualTo(429);
    assertThat(verdict.headers())
        .doesNotContainKey("Retry-After")
        .containsEntry("RateLimit", "\"one\";r=1");
  }

  @Test
  void noThreadWaitsForAnAnswer() {
    LateStore late = new LateStore(store);
    HttpLimiter limiter =
        with(
            HttpRule.forEverything().charge(late.limiter(many.policy()), KeyExtractor.everybody()));

    CompletableFuture<Verdict> verdict = limiter.check(TestRequest.get("/")).toCompletableFuture();

    assertThat(verdict).isNotDone();
    late.answer();
    assertThat(verdict).isCompletedWithValueMatching(Verdict::allowed);
  }

  @Test
  void whatFailsIsAFailureAndNotAFreePass() {
    HttpLimiter limiter =
        with(
            HttpRule.forEverything()
                .charge(
                    many,
                    request -> {
                      throw new IllegalStateException("no key");
                    }));

    assertThatThrownBy(() -> check(limiter, TestRequest.get("/"))).hasRootCauseMessage("no key");
  }

  @Test
  void aPolicyThatFailsClosedIsNotTheClientsFault() {
    Limit limit = Limit.parse("5/1m");
    Decision closed = Decisions.denied(limit, 0, 0, 1_000_000, 1_000_000, Source.FAILURE_RULE);
    RateLimiter down = LateStore.always(store, closed).limiter(many.policy());
    HttpLimiter closing = with(HttpRule.forEverything().charge(down, KeyExtractor.everybody()));
    HttpLimiter both =
        with(
            HttpRule.forEverything()
                .charge(down, KeyExtractor.everybody())
                .charge(one, KeyExtractor.everybody()));
    one.tryAcquire("all:");

    Verdict unavailable = check(closing, TestRequest.get("/"));

    assertThat(unavailable.status()).isEqualTo(503);
    assertThat(unavailable.headers()).containsEntry("Retry-After", "1");
    assertThat(unavailable.body()).contains("#temporary-reduced-capacity");
    assertThat(check(both, TestRequest.get("/")).status()).isEqualTo(429);
  }

  @Test
  void tiersShowTheirOwnLimits() {
    Policy tiered =
        Policy.of("api", Limit.parse("5/1m"))
            .withTiers(key -> key.equals("user:pro") ? List.of(Limit.parse("50/1m")) : List.of());
    HttpLimiter limiter =
        with(HttpRule.forEverything().charge(store.limiter(tiered), KeyExtractor.principal()));

    assertThat(check(limiter, TestRequest.get("/").principal("pro")).headers())
        .containsEntry("RateLimit-Policy", "\"api\";q=50;w=60")
        .containsEntry("RateLimit", "\"api\";r=49;t=60");
    assertThat(check(limiter, TestRequest.get("/").principal("ann")).headers())
        .containsEntry("RateLimit-Policy", "\"api\";q=5;w=60");
  }

  @Test
  void aVerdictDoesNotTellWhoAsked() {
    HttpLimiter limiter = with(HttpRule.forEverything().charge(one, KeyExtractor.principal()));

    assertThat(check(limiter, TestRequest.get("/").principal("ann")).toString())
        .startsWith("allowed [one: allowed by 1/1m")
        .doesNotContain("ann");
  }

  @Test
  void aLimiterWithoutRulesIsAMistake() {
    assertThatThrownBy(() -> HttpLimiter.builder().build())
        .hasMessage("rules must be 1 or more, were 0");
    assertThatThrownBy(() -> Charge.of(one, KeyExtractor.path()).unit("Bytes"))
        .hasMessageContaining("was 'Bytes'");
    assertThatThrownBy(() -> HttpRule.forPaths()).hasMessage("patterns must be 1 or more, were 0");
    assertThatThrownBy(() -> HttpRule.forEverything().methods())
        .hasMessage("methods must be 1 or more, were 0");
    assertThatThrownBy(() -> HttpRule.forEverything().methods("P T"))
        .hasMessageContaining("was 'P T'");
  }

  @Test
  void reportsWhatWasDecidedElsewhereAsIfItHadDecided() {
    HttpLimiter limiter = with(HttpRule.forEverything().charge(one, KeyExtractor.clientAddress()));
    Verdict admitted = check(limiter, TestRequest.get("/"));
    Verdict denied = check(limiter, TestRequest.get("/"));

    for (Verdict verdict : List.of(admitted, denied)) {
      Verdict report = limiter.report(TestRequest.get("/"), verdict.decisions());
      assertThat(report.status()).isEqualTo(verdict.status());
      assertThat(report.headers()).isEqualTo(verdict.headers());
      assertThat(report.body()).isEqualTo(verdict.body());
      report.giveBack();
    }
    assertThat(check(limiter, TestRequest.get("/")).allowed()).as("nothing given back").isFalse();
  }
}
