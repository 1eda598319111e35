package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The responses in docs/http.md are those that Sash gives, to the letter. */
class HttpDocTest {
  private static final Path PAGE = Path.of("..", "docs", "http.md");

  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private final RateLimiter burst = store.limiter(Policy.of("burst", Limit.parse("100/1m")));
  private final RateLimiter daily = store.limiter(Policy.of("daily", Limit.parse("1000/1d")));
  private final TestRequest ann = TestRequest.get("/api/items").principal("ann");

  private HttpLimiter.Builder api() {
    return HttpLimiter.builder()
        .wallClock(InstantSource.fixed(Instant.parse("2026-11-15T12:00:00Z")))
        .rule(
            HttpRule.forPaths("/api/**")
                .charge(burst, KeyExtractor.clientAddress())
                .charge(daily, KeyExtractor.principal()));
  }

  private static String response(HttpLimiter limiter, RequestView request) {
    Verdict verdict = limiter.check(request).toCompletableFuture().join();
    String reason =
        switch (verdict.status()) {
          case 200 -> "OK";
          case 403 -> "Forbidden";
          case 503 -> "Service Unavailable";
          default -> "Too Many Requests";
        };
    StringBuilder text = new StringBuilder("HTTP/1.1 " + verdict.status() + " " + reason + "\n");
    verdict.headers().forEach((name, value) -> text.append(name + ": " + value + "\n"));
    if (!verdict.allowed()) {
      text.append("\n").append(verdict.body()).append(verdict.body().endsWith("\n") ? "" : "\n");
    }
    return text.toString();
  }

  private static void isDocumented(String response) throws IOException {
    assertThat(Files.readString(PAGE)).contains("```http\n" + response + "```");
  }

  private void spend(RateLimiter limiter, String key, long permits) {
    assertThat(limiter.tryAcquire(key, permits).allowed()).isTrue();
  }

  @Test
  void anAdmittedRequestIsToldWhatIsLeft() throws Exception {
    spend(daily, "user:ann", 400);
    clock.advance(Duration.ofHours(3));
    isDocumented(response(api().build(), ann));
  }

  @Test
  void aDeniedRequestIsToldWhenToComeBack() throws Exception {
    spend(daily, "user:ann", 400);
    clock.advance(Duration.ofHours(3));
    spend(burst, "ip:192.0.2.1", 100);
    clock.advance(Duration.ofMillis(30_500));
    isDocumented(response(api().build(), ann));
    isDocumented(response(api().build(), ann.header("Accept", "text/plain")));
  }

  @Test
  void aBrowserIsToldInHtml() throws Exception {
    spend(burst, "ip:192.0.2.1", 100);
    clock.advance(Duration.ofMillis(30_500));
    HttpLimiter limiter = api().fields().build();
    isDocumented(response(limiter, ann.header("Accept", "text/html, */*;q=0.8")));
  }

  @Test
  void theOlderFieldsCanBeChosen() throws Exception {
    spend(burst, "ip:192.0.2.1", 49);
    isDocumented(response(api().fields(FieldStyle.RATELIMIT_DRAFT_6).build(), ann));
    isDocumented(response(api().fields(FieldStyle.X_RATELIMIT_DELTA).build(), ann));
    isDocumented(response(api().fields(FieldStyle.X_RATELIMIT_EPOCH).build(), ann));
  }

  @Test
  void severalLimitsOfOnePolicyAreToldApart() throws Exception {
    Policy search = Policy.of("search", Limit.parse("5/1s"), Limit.parse("1000/1h"));
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(
                        Charge.of(store.limiter(search), KeyExtractor.principal())
                            .cost(RequestCost.fixed(2))
                            .unit("rows")))
            .build();
    isDocumented(response(limiter, ann));
  }

  @Test
  void aRequestLargerThanTheLimitIsNotToldToWait() throws Exception {
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(
                        Charge.of(burst, KeyExtractor.principal()).cost(RequestCost.fixed(101))))
            .build();
    isDocumented(response(limiter, ann));
  }

  @Test
  void whoIsOnTheDenyListIsRefused() throws Exception {
    isDocumented(response(api().denyAddresses("192.0.2.0/24").build(), ann));
  }

  @Test
  void aStoreThatIsAwayIsNotTheClientsFault() throws Exception {
    Limit limit = Limit.parse("5/15m");
    Policy login = Policy.of("login", limit);
    Decision closed = Decision.denied(limit, 0, 0, 1_000_000, 1_000_000, Source.FAILURE_RULE);
    RateLimiter away =
        new LateLimiter(store.limiter(login)) {
          @Override
          public CompletionStage<Decision> tryAcquireAsync(String key, long permits) {
            return CompletableFuture.completedFuture(closed);
          }
        };
    HttpLimiter limiter =
        HttpLimiter.builder()
            .rule(HttpRule.forEverything().charge(away, KeyExtractor.clientAddress()))
            .build();
    isDocumented(response(limiter, ann));
  }
}
