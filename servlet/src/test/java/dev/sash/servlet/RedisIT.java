package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision.Source;
import dev.sash.FailureRule;
import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.http.Charge;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.redis.RedisStore;
import dev.sash.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The filter on a real Redis: up, frozen, gone, and back. */
class RedisIT extends InContainer {
  /** Long enough that a busy machine does not look like a Redis that is away. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  private RedisServer server;
  private RedisStore redisStore;

  @BeforeEach
  void connect() {
    server = RedisServer.start();
    redisStore = RedisStore.connect(server.uri());
  }

  @AfterEach
  void disconnect() {
    redisStore.close();
    server.close();
  }

  private static Policy policy(String limit) {
    return Policy.of("test", Limit.parse(limit)).withDeadline(PATIENT);
  }

  @Test
  void of200ParallelRequestsExactlyTheLimitGetThrough() throws Exception {
    RateLimiter limiter = redisStore.limiter(policy("50/1h"));
    serve(perAddress(limiter));

    List<HttpResponse<String>> responses = joined(getLater("/ok", 200));

    assertThat(count(responses, 200)).isEqualTo(50);
    assertThat(count(responses, 429)).isEqualTo(150);
    assertThat(application.handled()).isEqualTo(50);
    assertThat(limiter.peek(ME).used()).isEqualTo(50);
  }

  @Test
  void policiesInDifferentStoresAreChargedAllOrNotAtAll() throws Exception {
    RateLimiter memory = limiter("wide", "1000/1h");
    RateLimiter redis = redisStore.limiter(policy("50/1h"));
    serve(
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(memory, KeyExtractor.clientAddress())
                    .charge(redis, KeyExtractor.clientAddress()))
            .build());

    List<HttpResponse<String>> responses = joined(getLater("/ok", 200));

    assertThat(count(responses, 200)).isEqualTo(50);
    assertThat(count(responses, 429)).isEqualTo(150);
    assertThat(memory.peek(ME).used()).isEqualTo(50);
    assertThat(redis.peek(ME).used()).isEqualTo(50);
  }

  @Test
  void onlyFailuresAreCharged() throws Exception {
    RateLimiter limiter = redisStore.limiter(policy("5/1h"));
    Charge logins = Charge.of(limiter, KeyExtractor.clientAddress());
    serve(
        HttpLimiter.builder()
            .rule(HttpRule.forEverything().charge(logins.onlyIfStatus(status -> status == 401)))
            .build());

    for (int i = 0; i < 20; i++) {
      assertThat(get("/ok").statusCode()).isEqualTo(200);
      eventually("it is given back", () -> limiter.peek(ME).used() == 0);
    }
    List<HttpResponse<String>> guesses = joined(getLater("/ok?code=401", 100));

    assertThat(count(guesses, 401)).isEqualTo(5);
    assertThat(count(guesses, 429)).isEqualTo(95);
  }

  @Test
  void noThreadWaitsForARedisThatIsFrozen() throws Exception {
    RateLimiter limiter = redisStore.limiter(policy("5/1h"));
    serve(1, RateLimitFilter.of(perAddress(limiter)), REQUEST_AND_ASYNC, true);
    assertThat(get("/ok").statusCode()).isEqualTo(200);
    server.pause();
    List<CompletableFuture<HttpResponse<String>>> responses = getLater("/ok", 10);

    for (int i = 0; i < 10; i++) {
      assertThat(get("/health").statusCode()).as("the thread is free").isEqualTo(200);
    }
    assertThat(responses).noneMatch(CompletableFuture::isDone);
    server.resume();

    assertThat(count(joined(responses), 200)).isEqualTo(4);
    assertThat(count(joined(responses), 429)).isEqualTo(6);
  }

  @Test
  void withoutRedisAnOpenPolicyAdmitsAndSaysNothingAboutCounts() throws Exception {
    serve(perAddress(redisStore.limiter(policy("2/1h").onFailure(FailureRule.OPEN))));
    server.kill();

    for (int i = 0; i < 10; i++) {
      HttpResponse<String> response = get("/ok");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"test\";q=2;w=3600");
      assertThat(header(response, "RateLimit")).isEmpty();
    }
  }

  @Test
  void withoutRedisAClosedPolicyAdmitsNobodyUntilRedisIsBack() throws Exception {
    serve(perAddress(redisStore.limiter(policy("1000/1h").onFailure(FailureRule.CLOSED))));
    assertThat(get("/ok").statusCode()).isEqualTo(200);
    server.kill();

    for (int i = 0; i < 10; i++) {
      HttpResponse<String> response = get("/ok");
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(header(response, "Retry-After")).isEqualTo("1");
      assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
      assertThat(response.body()).contains("#temporary-reduced-capacity");
    }
    assertThat(application.handled()).isEqualTo(1);
    assertThat(get("/health").statusCode()).as("needs no Redis").isEqualTo(200);
    server.restart();

    eventually("Redis decides again", () -> getLater("/ok").join().statusCode() == 200);
  }

  @Test
  void withoutRedisALocalPolicyLimitsByItself() throws Exception {
    serve(perAddress(redisStore.limiter(policy("50/1h").onFailure(FailureRule.LOCAL))));
    server.kill();

    List<HttpResponse<String>> responses = joined(getLater("/ok", 200));

    assertThat(count(responses, 200)).isEqualTo(50);
    assertThat(count(responses, 429)).isEqualTo(150);
  }

  /** It was never charged, so that there is nothing to give back to a Redis which has recovered. */
  @Test
  void whatAnOpenPolicyAdmittedForgivesNobodyAnything() throws Exception {
    RateLimiter limiter = redisStore.limiter(policy("5/1h").onFailure(FailureRule.OPEN));
    serve(onlyFailures(limiter));
    server.kill();
    assertThat(get("/ok").statusCode()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> slow = getLater("/hold");
    eventually("it is in the application", () -> application.held() == 1);
    server.restart();
    eventually("Redis decides again", () -> isFromStore(limiter));
    assertThat(limiter.tryAcquire(ME, 3).used()).isEqualTo(3);
    application.release();

    assertThat(slow.join().statusCode()).isEqualTo(200);
    stop();
    assertThat(limiter.peek(ME).used()).isEqualTo(3);
  }

  private static boolean isFromStore(RateLimiter limiter) {
    return limiter.peek("anybody").source() == Source.STORE;
  }
}
