package dev.sash.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.memory.InMemoryStore;
import dev.sash.store.Decisions;
import dev.sash.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The responses in docs/http.md are those that Sash gives, to the letter and in that order. */
class HttpDocTest {
  private static final Path PAGE = Path.of("..", "docs", "http.md");
  private static final Pattern HTTP = Pattern.compile("```http\n(.*?)```", Pattern.DOTALL);

  private final List<String> documented = documented();
  private final ManualClock clock = new ManualClock();
  private final InMemoryStore store = InMemoryStore.builder().clock(clock).build();
  private final RateLimiter burst = store.limiter(Policy.of("burst", Limit.parse("100/1m")));
  private final RateLimiter daily = store.limiter(Policy.of("daily", Limit.parse("1000/1d")));

  private static List<String> documented() {
    List<String> responses = new ArrayList<>();
    try {
      Matcher matcher = HTTP.matcher(Files.readString(PAGE));
      while (matcher.find()) {
        responses.add(matcher.group(1));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    assertThat(responses).hasSize(13);
    return responses;
  }

  private static TestRequest ann() {
    return TestRequest.get("/api/items").principal("ann");
  }

  private HttpLimiter.Builder api() {
    return HttpLimiter.builder()
        .wallClock(InstantSource.fixed(Instant.parse("2026-11-15T12:00:00Z")))
        .rule(
            HttpRule.forPaths("/api/**")
                .charge(burst, KeyExtractor.clientAddress())
                .charge(daily, KeyExtractor.principal()));
  }

  private static HttpLimiter with(Charge charge) {
    return HttpLimiter.builder().rule(HttpRule.forEverything().charge(charge)).build();
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

  private static void spend(RateLimiter limiter, String key, long permits) {
    assertThat(limiter.tryAcquire(key, permits).allowed()).isTrue();
  }

  @Test
  void anAdmittedRequestIsToldWhatIsLeft() {
    spend(daily, "user:ann", 400);
    clock.advance(Duration.ofHours(3));

    assertThat(response(api().build(), ann())).isEqualTo(documented.get(0));
  }

  @Test
  void aDeniedRequestIsToldWhenToComeBackInTheFormItLikesBest() {
    spend(daily, "user:ann", 400);
    clock.advance(Duration.ofHours(3));
    spend(burst, "ip:192.0.2.1", 100);
    clock.advance(Duration.ofMillis(30_500));
    HttpLimiter limiter = api().build();
    HttpLimiter silent = api().fields().build();
    TestRequest plain = ann().header("Accept", "text/plain");
    TestRequest browser = ann().header("Accept", "text/html, */*;q=0.8");

    assertThat(response(limiter, ann())).isEqualTo(documented.get(1));
    assertThat(response(limiter, plain)).isEqualTo(documented.get(2));
    assertThat(response(silent, browser)).isEqualTo(documented.get(3));
  }

  @Test
  void theOlderFieldsCanBeChosen() {
    spend(burst, "ip:192.0.2.1", 49);
    FieldStyle[] styles = {
      FieldStyle.RATELIMIT_DRAFT_6, FieldStyle.X_RATELIMIT_DELTA, FieldStyle.X_RATELIMIT_EPOCH
    };

    for (int i = 0; i < styles.length; i++) {
      HttpLimiter limiter = api().fields(styles[i]).build();
      assertThat(response(limiter, ann())).isEqualTo(documented.get(4 + i));
    }
  }

  @Test
  void severalLimitsOfOnePolicyAreToldApart() {
    Policy search = Policy.of("search", Limit.parse("5/1s"), Limit.parse("1000/1h"));
    Charge rows =
        Charge.of(store.limiter(search), KeyExtractor.principal())
            .cost(RequestCost.fixed(2))
            .unit("rows");

    assertThat(response(with(rows), ann())).isEqualTo(documented.get(7));
  }

  @Test
  void aRequestLargerThanTheLimitIsNotToldToWait() {
    Charge large = Charge.of(burst, KeyExtractor.principal()).cost(RequestCost.fixed(101));

    assertThat(response(with(large), ann())).isEqualTo(documented.get(8));
  }

  @Test
  void aStoreThatIsAwayIsNotTheClientsFault() {
    Limit five = Limit.parse("5/15m");
    Limit thousand = Limit.parse("1000/1m");
    RateLimiter login =
        LateStore.always(
                store, Decisions.denied(five, 0, 0, 1_000_000, 1_000_000, Source.FAILURE_RULE))
            .limiter(Policy.of("login", five));
    RateLimiter status =
        LateStore.always(
                store, Decisions.allowed(thousand, 1, 999, 60_000_000, Source.FAILURE_RULE))
            .limiter(Policy.of("status", thousand));

    assertThat(response(with(Charge.of(login, KeyExtractor.everybody())), ann()))
        .isEqualTo(documented.get(9));
    assertThat(response(with(Charge.of(status, KeyExtractor.everybody())), ann()))
        .isEqualTo(documented.get(10));
  }

  @Test
  void whoIsOnTheDenyListIsRefused() {
    assertThat(response(api().denyAddresses("192.0.2.0/24").build(), ann()))
        .isEqualTo(documented.get(11));
  }

  @Test
  void aRequestThatWouldWaitTooLongIsToldWhenToComeBack() {
    RateLimiter search = store.limiter(Policy.of("search", Limit.parse("2/1s")));
    HttpLimiter limiter =
        with(Charge.of(search, KeyExtractor.principal()).maxWait(Duration.ofSeconds(1)));
    List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      verdicts.add(limiter.check(ann()).toCompletableFuture());
    }

    assertThat(response(limiter, ann())).isEqualTo(documented.get(12));
    assertThat(verdicts.subList(0, 2)).allMatch(CompletableFuture::isDone);
    assertThat(verdicts.subList(2, 4)).noneMatch(CompletableFuture::isDone);
    clock.advance(Duration.ofSeconds(1));
    assertThat(verdicts).allMatch(verdict -> verdict.join().allowed());
  }
}
