package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limiter that is divided in two, before and after authentication, and what logins charge. */
class TwoPlacesTest {
  private static final String ADDRESS = "ip:192.0.2.1";

  private final InMemoryStore store = InMemoryStore.builder().clock(new ManualClock()).build();
  private final RateLimiter perAddress = limiter("address", "5/1m");
  private final RateLimiter perUser = limiter("user", "2/1m");
  private final RateLimiter guesses = limiter("guesses", "2/1m");

  private RateLimiter limiter(String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private static HttpLimiter with(HttpRule... rules) {
    HttpLimiter.Builder builder = HttpLimiter.builder().allowKeys("user:vip", "ip:192.0.2.9");
    List.of(rules).forEach(builder::rule);
    return builder.build();
  }

  private static Verdict check(HttpLimiter limiter, RequestView request) {
    return limiter.check(request).toCompletableFuture().join();
  }

  private static Verdict check(HttpLimiter limiter, RequestView request, Verdict earlier) {
    return limiter.check(request, earlier).toCompletableFuture().join();
  }

  private final HttpLimiter all =
      with(
          HttpRule.forPaths("/api/**").charge(perUser, KeyExtractor.principal()).thenContinue(),
          HttpRule.forPaths("/only/**").charge(perUser, KeyExtractor.principal()),
          HttpRule.forEverything().charge(perAddress, KeyExtractor.clientAddress()));
  private final HttpLimiter before = all.withCharges(charge -> !charge.usesPrincipal());
  private final HttpLimiter after = all.withCharges(Charge::usesPrincipal);

  @Test
  void knowsWhichKeysNeedTheUser() {
    KeyExtractor user = KeyExtractor.principal();
    KeyExtractor address = KeyExtractor.clientAddress();
    assertThat(List.of(user, user.hashed(), user.orElse(address), address.and(user)))
        .allMatch(KeyExtractor::usesPrincipal);
    assertThat(List.of(address, address.hashed(), KeyExtractor.loginName().orElse(address)))
        .noneMatch(KeyExtractor::usesPrincipal);
    assertThat(all.charges()).extracting(Charge::policy).containsExactly("user", "user", "address");
  }

  @Test
  void chargesBothOrNone() {
    TestRequest ann = TestRequest.get("/api/x").principal("ann");
    for (int i = 0; i < 2; i++) {
      Verdict both = check(after, ann, check(before, ann));
      assertThat(both.decisions())
          .extracting(PolicyDecision::policy)
          .containsExactly("address", "user");
      assertThat(both.headers().get("RateLimit")).contains("\"address\"", "\"user\"");
    }
    Verdict denied = check(after, ann, check(before, ann));

    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.headers().get("RateLimit"))
        .isEqualTo("\"address\";r=3;t=60, \"user\";r=0;t=60");
    assertThat(perAddress.peek(ADDRESS).used()).as("refunded").isEqualTo(2);
    assertThat(perUser.peek("user:ann").used()).isEqualTo(2);
  }

  @Test
  void givesBackWhatBothCharged() {
    TestRequest ann = TestRequest.get("/api/x").principal("ann");
    check(after, ann, check(before, ann)).giveBack();

    assertThat(perAddress.peek(ADDRESS).used()).isZero();
    assertThat(perUser.peek("user:ann").used()).isZero();
  }

  @Test
  void aRuleThatEndsTheSearchEndsItInBothPlaces() {
    TestRequest ann = TestRequest.get("/only/x").principal("ann");
    Verdict first = check(before, ann);
    assertThat(first.decisions()).isEmpty();
    assertThat(check(after, ann, first).decisions())
        .extracting(PolicyDecision::policy)
        .containsExactly("user");
  }

  @Test
  void aKeyThatIsExemptBeforeIsExemptAfter() {
    TestRequest ann = TestRequest.get("/api/x").peer("192.0.2.9").principal("ann");
    assertThat(check(after, ann, check(before, ann)).decisions()).isEmpty();

    TestRequest vip = TestRequest.get("/api/x").principal("vip");
    assertThat(check(after, vip, check(before, vip)).decisions())
        .extracting(PolicyDecision::policy)
        .containsExactly("address");
  }

  @Test
  void aFailureInTheSecondPlaceRefundsTheFirst() {
    HttpLimiter broken =
        with(
            HttpRule.forEverything()
                .charge(
                    perUser,
                    request -> {
                      throw new IllegalStateException("on purpose");
                    }));
    TestRequest request = TestRequest.get("/api/x");

    assertThat(broken.check(request, check(before, request)).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(perAddress.peek(ADDRESS).used()).isZero();
  }

  @Test
  void preflightsAreNotLimited() {
    for (int i = 0; i < 10; i++) {
      TestRequest preflight =
          TestRequest.of("OPTIONS", "/api/x")
              .header("Origin", "https://a.example")
              .header("Access-Control-Request-Method", "PUT");
      assertThat(check(all, preflight).decisions()).isEmpty();
    }
    TestRequest options = TestRequest.of("OPTIONS", "/").header("Origin", "https://a.example");
    assertThat(check(all, options).decisions()).hasSize(1);
  }

  private final HttpLimiter logins =
      with(
          HttpRule.forPaths("/login", "/json")
              .when(request -> request.loginName() != null)
              .charge(
                  Charge.of(guesses, KeyExtractor.loginName().and(KeyExtractor.clientAddress()))
                      .onlyIfLoginFailed()));

  private static TestRequest login(String path, String credentials) {
    return TestRequest.get(path)
        .header(
            "Authorization",
            "Basic "
                + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void onlyFailedLoginsStayCharged() {
    String ann = "(login:ann|ip:192.0.2.1)";
    TestRequest request = login("/login", "ann:guess");
    Verdict succeeded = check(logins, request);
    assertThat(succeeded.dependsOnOutcome()).isTrue();
    assertThat(guesses.peek(ann).used()).as("until the outcome is known").isEqualTo(1);
    succeeded.loginSucceeded();
    assertThat(guesses.peek(ann).used()).isZero();
    succeeded.settle(200);
    assertThat(guesses.peek(ann).used()).as("refunded once").isZero();

    Verdict neither = check(logins, request);
    neither.settle(302);
    assertThat(guesses.peek(ann).used()).isZero();

    for (int i = 0; i < 2; i++) {
      Verdict failed = check(logins, request);
      failed.loginFailed();
      failed.loginSucceeded();
      logins.chargeFailedLogin(request, failed);
      failed.settle(302);
    }
    assertThat(guesses.peek(ann).used()).isEqualTo(2);
    assertThat(check(logins, request).allowed()).isFalse();
  }

  @Test
  void aFailureAfterAnotherLoginHasSucceededIsCharged() {
    TestRequest request = login("/login", "ann:guess");
    Verdict verdict = check(logins, request);
    verdict.loginSucceeded();
    verdict.loginFailed();
    logins.chargeFailedLogin(request, verdict);
    verdict.settle(302);

    assertThat(guesses.peek("(login:ann|ip:192.0.2.1)").used()).isEqualTo(1);
  }

  @Test
  void aFailedLoginThatDidNotShowIsChargedAfterwards() {
    TestRequest request = TestRequest.of("POST", "/json");
    Verdict verdict = check(logins, request);
    assertThat(verdict.decisions()).isEmpty();
    verdict.loginFailed();
    for (int i = 0; i < 3; i++) {
      logins.chargeFailedLogin(login("/json", "bob:guess"), verdict);
    }
    logins.chargeFailedLogin(login("/elsewhere", "bob:guess"), verdict);

    assertThat(guesses.peek("(login:bob|ip:192.0.2.1)").used()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann:x", "ANN:x", " ann :x:y", "\uff21nn:x"})
  void spellingsOfANameAreOneKey(String credentials) {
    IncomingRequest request = new IncomingRequest(login("/", credentials), TrustedProxies.none());
    assertThat(KeyExtractor.loginName().keyOf(request)).isEqualTo("login:ann");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Basic", "Basic ", "Basic !!!", "Basic OmE=", "Bearer YTph", "Basic YQ=="})
  void otherCredentialsHaveNoName(String field) {
    IncomingRequest request =
        new IncomingRequest(
            TestRequest.get("/").header("Authorization", field), TrustedProxies.none());
    assertThat(KeyExtractor.loginName().keyOf(request)).isNull();
  }

  @Test
  void aFormatWritesTheResponse() {
    HttpLimiter limiter =
        HttpLimiter.builder()
            .denyAddresses("192.0.2.7")
            .denials(
                denial ->
                    denial.reason() == Denial.Reason.FORBIDDEN
                        ? new DenialResponse(404, "text/plain", denial.path())
                        : denial.standard(503, "about:blank", "\"<Busy>\""))
            .rule(HttpRule.forEverything().charge(perUser, KeyExtractor.everybody()))
            .build();
    assertThat(check(limiter, TestRequest.get("/a%20b").peer("192.0.2.7")).body())
        .isEqualTo("/a%20b");
    check(limiter, TestRequest.get("/"));
    check(limiter, TestRequest.get("/"));
    Verdict json = check(limiter, TestRequest.get("/"));
    assertThat(json.status()).isEqualTo(503);
    assertThat(json.body()).startsWith("{\"type\":\"about:blank\",\"title\":\"\\\"<Busy>\\\"\",");
    assertThat(json.headers()).containsEntry("Retry-After", "60");
    Verdict html = check(limiter, TestRequest.get("/").header("Accept", "text/html"));
    assertThat(html.body()).contains("<h1>\"&lt;Busy>\"</h1>");
  }
}
