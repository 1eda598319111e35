package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait in one of two places, before and after authentication. */
@Timeout(60)
class MaxWaitInTwoPlacesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String ADDRESS = "ip:192.0.2.1";
  private static final String ANN = "user:ann";

  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private final RateLimiter perAddress = limiter("address", "3/1m");
  private final RateLimiter perUser = limiter("user", "1/1s");

  private RateLimiter limiter(String name, String limit) {
    return store.limiter(Policy.of(name, Limit.parse(limit)));
  }

  private static HttpLimiter with(Charge... charges) {
    HttpLimiter.Builder builder = HttpLimiter.builder();
    for (Charge charge : charges) {
      builder.rule(HttpRule.forEverything().charge(charge).thenContinue());
    }
    return builder.build();
  }

  private final Charge address =
      Charge.of(perAddress, KeyExtractor.clientAddress()).onlyIfStatus(status -> status != 404);
  private final Charge user = Charge.of(perUser, KeyExtractor.principal()).maxWait(SECOND);

  private final TestRequest ann = TestRequest.get("/").principal("ann");

  private static CompletableFuture<Verdict> check(HttpLimiter limiter, RequestView request) {
    return limiter.check(request).toCompletableFuture();
  }

  private static CompletableFuture<Verdict> check(
      HttpLimiter limiter, RequestView request, Verdict earlier) {
    return limiter.check(request, earlier).toCompletableFuture();
  }

  private static Verdict done(CompletableFuture<Verdict> verdict) {
    return verdict.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static HttpLimiter before(HttpLimiter all) {
    return all.withCharges(charge -> !charge.usesPrincipal());
  }

  private static HttpLimiter after(HttpLimiter all) {
    return all.withCharges(Charge::usesPrincipal);
  }

  private final HttpLimiter all = with(address, user);

  private Verdict first() {
    return done(check(before(all), ann));
  }

  @Test
  void theEarlierPlaceChargesNothingWhileARequestWaitsInTheLater() {
    done(check(after(all), ann, first()));
    Verdict earlier = first();
    CompletableFuture<Verdict> waits = check(after(all), ann, earlier);

    assertThat(waits).isNotDone();
    assertThat(perAddress.peek(ADDRESS).used()).as("of the first request").isEqualTo(1);
    assertThat(all.keysWaitedFor()).as("in one or the other place").isEqualTo(1);
    earlier.settle(200);
    clock.advance(SECOND);

    assertThat(done(waits).allowed()).isTrue();
    assertThat(perAddress.peek(ADDRESS).used()).isEqualTo(2);
    assertThat(done(waits).headers())
        .containsEntry("RateLimit", "\"address\";r=1;t=60, \"user\";r=0;t=1");
    earlier.settle(404);
    assertThat(perAddress.peek(ADDRESS).used()).as("charged for other statuses").isEqualTo(1);
    done(waits).giveBack();
    assertThat(perUser.peek(ANN).used()).isZero();
    assertThat(perAddress.peek(ADDRESS).used()).as("refunded once").isEqualTo(1);
  }

  @Test
  void bothPlacesAreRefundedTogetherAfterAWait() {
    done(check(after(all), ann, first()));
    CompletableFuture<Verdict> waits = check(after(all), ann, first());
    clock.advance(SECOND);
    done(waits).giveBack();

    assertThat(perAddress.peek(ADDRESS).used()).isEqualTo(1);
    assertThat(perUser.peek(ANN).used()).isZero();
  }

  @Test
  void whatTheEarlierPlaceDeniesAfterAWaitIsNotCharged() {
    done(check(after(all), ann, first()));
    Verdict earlier = first();
    CompletableFuture<Verdict> waits = check(after(all), ann, earlier);
    perAddress.tryAcquire(ADDRESS, 2); // others are faster
    clock.advance(SECOND);

    assertThat(done(waits).status()).isEqualTo(429);
    assertThat(done(waits).headers())
        .containsEntry("RateLimit", "\"address\";r=0;t=59, \"user\";r=1")
        .containsEntry("Retry-After", "59");
    assertThat(perUser.peek(ANN).used()).isZero();
    earlier.settle(404);
    assertThat(perAddress.peek(ADDRESS).used()).as("nothing to refund").isEqualTo(3);
  }

  @Test
  void aRequestThatIsWithdrawnIsChargedInNeitherPlace() {
    done(check(after(all), ann, first()));
    Verdict earlier = first();
    CompletableFuture<Verdict> waits = check(after(all), ann, earlier);
    waits.cancel(false);
    earlier.settle(200);
    clock.advance(SECOND);

    assertThat(perAddress.peek(ADDRESS).used()).isEqualTo(1);
    assertThat(all.keysWaitedFor()).isZero();
  }

  @Test
  void aDenialAtOnceRefundsTheEarlierPlace() {
    HttpLimiter strict = with(address, user.maxWait(Duration.ofMillis(1)));
    done(check(after(strict), ann, first()));
    Verdict denied = done(check(after(strict), ann, first()));

    assertThat(denied.status()).isEqualTo(429);
    assertThat(perAddress.peek(ADDRESS).used()).isEqualTo(1);
  }

  @Test
  void aRequestMayWaitInTheEarlierPlaceToo() {
    RateLimiter slow = limiter("slow", "1/2s");
    HttpLimiter both =
        with(
            Charge.of(slow, KeyExtractor.everybody()).maxWait(SECOND.multipliedBy(2)),
            user.maxWait(SECOND.multipliedBy(5)));
    done(check(after(both), ann, done(check(before(both), ann))));
    perUser.charge(ANN, 2);
    CompletableFuture<Verdict> earlier = check(before(both), ann);
    assertThat(earlier).isNotDone();
    clock.advance(SECOND.multipliedBy(2));
    perUser.charge(ANN, 1);
    CompletableFuture<Verdict> later = check(after(both), ann, done(earlier));
    assertThat(later).isNotDone();
    assertThat(slow.peek("all:").used()).isZero();
    clock.advance(SECOND);

    assertThat(done(later).allowed()).isTrue();
    assertThat(slow.peek("all:").used()).isEqualTo(1);
    assertThat(perUser.peek(ANN).used()).isEqualTo(1);
    assertThat(both.keysWaitedFor()).isZero();
  }

  @Test
  void aLoginThatHasSucceededIsNotChargedAgainAfterAWait() {
    RateLimiter guesses = limiter("guesses", "9/1m");
    HttpLimiter logins =
        with(
            Charge.of(guesses, KeyExtractor.loginName()).onlyIfLoginFailed(),
            Charge.of(limiter("total", "9/1m"), KeyExtractor.everybody()),
            user);
    TestRequest request =
        ann.header(
            "Authorization",
            "Basic "
                + Base64.getEncoder().encodeToString("ann:x".getBytes(StandardCharsets.UTF_8)));
    done(check(after(logins), request, done(check(before(logins), request)))).settle(200);
    Verdict earlier = done(check(before(logins), request));
    earlier.loginSucceeded();
    long before = guesses.peek("login:ann").used();
    CompletableFuture<Verdict> waits = check(after(logins), request, earlier);
    assertThat(waits).isNotDone();
    clock.advance(SECOND);

    assertThat(done(waits).allowed()).isTrue();
    assertThat(done(waits).decisions())
        .extracting(PolicyDecision::policy)
        .containsExactly("guesses", "total", "user");
    assertThat(guesses.peek("login:ann").used()).isEqualTo(before);
    earlier.settle(200);
    assertThat(guesses.peek("login:ann").used()).as("refunded once").isEqualTo(before);
  }
}
