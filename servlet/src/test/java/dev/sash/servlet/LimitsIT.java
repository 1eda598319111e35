package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.RateLimiter;
import dev.sash.http.FieldStyle;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.http.TrustedProxies;
import jakarta.servlet.DispatcherType;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.Test;

/** Who is limited, and what they are told. */
class LimitsIT extends InContainer {
  @Test
  void of200ParallelRequestsExactlyTheLimitGetThrough() throws Exception {
    serve(perAddress(limiter("50/1m")));

    List<HttpResponse<String>> responses = joined(getLater("/ok", 200));

    assertThat(count(responses, 200)).isEqualTo(50);
    assertThat(count(responses, 429)).isEqualTo(150);
    assertThat(application.handled()).isEqualTo(50);
  }

  @Test
  void tellsWhatIsLeftAndWhenToComeBack() throws Exception {
    serve(perAddress(limiter("2/1m")));

    HttpResponse<String> first = get("/ok");
    clock.advance(Duration.ofMillis(500));
    get("/ok");
    HttpResponse<String> denied = get("/ok");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("ok");
    assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"test\";q=2;w=60");
    assertThat(header(first, "RateLimit")).isEqualTo("\"test\";r=1;t=60");
    assertThat(header(first, "Retry-After")).isEmpty();
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "RateLimit-Policy")).isEqualTo("\"test\";q=2;w=60");
    assertThat(header(denied, "RateLimit")).isEqualTo("\"test\";r=0;t=60");
    assertThat(header(denied, "Retry-After")).isEqualTo("60");
    assertThat(header(denied, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(denied, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(denied.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Too Many Requests\",\"status\":429,"
                + "\"detail\":\"Limit test exceeded. Try again in 60 seconds.\","
                + "\"violated-policies\":[\"test\"],\"retry-after\":60}");
  }

  @Test
  void whatIsSentIsReadByAParserOfStructuredFields() throws Exception {
    serve(
        HttpLimiter.builder()
            .fields(FieldStyle.RATELIMIT, FieldStyle.RATELIMIT_DRAFT_6)
            .rule(
                HttpRule.forEverything()
                    .charge(limiter("mine", "5/1m"), KeyExtractor.clientAddress())
                    .charge(limiter("ours", "9/1h"), KeyExtractor.everybody()))
            .build());

    HttpResponse<String> response = get("/ok");

    assertThat(structured(response, "RateLimit-Policy"))
        .containsExactly("mine {q=5, w=60}", "ours {q=9, w=3600}");
    assertThat(structured(response, "RateLimit"))
        .containsExactly("mine {r=4, t=60}", "ours {r=8, t=3600}");
    assertThat(structured(response, "RateLimit-Remaining")).containsExactly("4 {}");
  }

  /** Each item of a list and its parameters, as a parser that is not ours reads them. */
  private static List<String> structured(HttpResponse<?> response, String name) {
    List<String> items = new ArrayList<>();
    for (ListElement<?> item : new Parser(response.headers().allValues(name)).parseList().get()) {
      Map<String, Object> parameters = new TreeMap<>();
      item.getParams().forEach((key, value) -> parameters.put(key, value.get()));
      items.add(item.get() + " " + parameters);
    }
    return items;
  }

  @Test
  void aClientThatHonoursRetryAfterSucceedsAtThatSecondAndFailsBefore() throws Exception {
    serve(perAddress(limiter("3/1m")));
    for (int i = 0; i < 3; i++) {
      get("/ok");
      clock.advance(Duration.ofMillis(7_500));
    }

    long wait = Long.parseLong(header(get("/ok"), "Retry-After"));

    assertThat(wait).isEqualTo(38); // 37.5 s
    clock.advance(Duration.ofSeconds(wait - 1));
    assertThat(get("/ok").statusCode()).as("a second before").isEqualTo(429);
    clock.advance(Duration.ofMillis(500).minusNanos(1_000));
    assertThat(get("/ok").statusCode()).as("a microsecond before").isEqualTo(429);
    clock.advance(Duration.ofMillis(500).plusNanos(1_000));
    assertThat(get("/ok").statusCode()).as("at that second").isEqualTo(200);
  }

  @Test
  void peopleReadHtmlAndHeadHasNoBody() throws Exception {
    serve(perAddress(limiter("1/1m")));
    get("/ok");

    HttpResponse<String> html = get("/ok", "Accept", "text/html,*/*;q=0.8");
    HttpResponse<String> plain = get("/ok", "Accept", "text/plain");
    HttpResponse<String> head = head("/ok");

    assertThat(header(html, "Content-Type")).matches("text/html; ?charset=(utf|UTF)-8");
    assertThat(html.body()).contains("<h1>Too Many Requests</h1>");
    assertThat(header(plain, "Content-Type")).matches("text/plain; ?charset=(utf|UTF)-8");
    assertThat(plain.body()).startsWith("Too Many Requests\n");
    assertThat(head.statusCode()).isEqualTo(429);
    assertThat(head.body()).isEmpty();
    assertThat(header(head, "Retry-After")).isEqualTo("60");
  }

  @Test
  void aSpoofedAddressDoesNotHelp() throws Exception {
    serve(perAddress(limiter("5/1m")));
    int admitted = 0;
    for (int i = 0; i < 20; i++) {
      String spoofed = "203.0.113." + i;
      HttpResponse<String> response =
          get("/ok", "X-Forwarded-For", spoofed, "Forwarded", "for=" + spoofed);
      admitted += response.statusCode() == 200 ? 1 : 0;
    }

    assertThat(admitted).isEqualTo(5);
  }

  @Test
  void behindATrustedProxyNeitherSpoofingNorRotationInsideA64Helps() throws Exception {
    RateLimiter limiter = limiter("5/1m");
    serve(behind(TrustedProxies.xForwardedFor("127.0.0.1"), limiter));
    int spoofing = 0;
    int rotating = 0;
    for (int i = 0; i < 20; i++) {
      String spoofed = "127.0.0.1, 203.0.113." + i + ", 198.51.100.7";
      String rotated = "2001:db8:1:2::" + Integer.toHexString(i);
      spoofing += get("/ok", "X-Forwarded-For", spoofed).statusCode() == 200 ? 1 : 0;
      rotating += get("/ok", "X-Forwarded-For", rotated).statusCode() == 200 ? 1 : 0;
    }

    assertThat(spoofing).isEqualTo(5);
    assertThat(rotating).isEqualTo(5);
    assertThat(get("/ok", "X-Forwarded-For", "2001:db8:1:3::1").statusCode()).isEqualTo(200);
  }

  @Test
  void theSameHoldsForForwardedInSeveralLines() throws Exception {
    RateLimiter limiter = limiter("5/1m");
    serve(behind(TrustedProxies.forwarded("127.0.0.1"), limiter));
    int admitted = 0;
    for (int i = 0; i < 20; i++) {
      HttpResponse<String> response =
          get(
              "/ok",
              "Forwarded",
              "for=203.0.113." + i + ";host=\"a, for=203.0.113.0",
              "Forwarded",
              "for=\"[2001:db8:1:2::" + Integer.toHexString(i) + "]:4711\", for=127.0.0.1");
      admitted += response.statusCode() == 200 ? 1 : 0;
    }

    assertThat(admitted).isEqualTo(5);
    assertThat(limiter.peek("ip:2001:db8:1:2::/64").used()).isEqualTo(5);
  }

  private static HttpLimiter behind(TrustedProxies proxies, RateLimiter limiter) {
    return HttpLimiter.builder()
        .trustedProxies(proxies)
        .rule(HttpRule.forEverything().charge(limiter, KeyExtractor.clientAddress()))
        .build();
  }

  @Test
  void healthChecksAreExemptAndNothingElseIsHoweverThePathIsWritten() throws Exception {
    serve(perAddress(limiter("1/1m")));
    get("/ok");

    assertThat(get("/health").statusCode()).isEqualTo(200);
    assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
    assertThat(header(get("/livez"), "RateLimit")).isEmpty();
    for (String path : List.of("/ok", "/ok;health", "/%6fk", "/ok/health")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(429);
    }
    // A container may refuse these itself.
    for (String path : List.of("//ok", "/health/../ok", "/health/..;/ok", "/health%2F..%2Fok")) {
      assertThat(get(path).statusCode()).as(path).isIn(429, 400);
    }
    assertThat(application.handled()).isEqualTo(4);
  }

  @Test
  void rulesSeeThePathWithinTheApplication() throws Exception {
    serve(
        HttpLimiter.builder()
            .rule(
                HttpRule.forPaths("/login")
                    .methods("POST")
                    .charge(limiter("1/1m"), KeyExtractor.clientAddress()))
            .build());

    assertThat(header(get("/login"), "RateLimit")).isEmpty();
    assertThat(post("/login", "x").statusCode()).isEqualTo(200);
    assertThat(post("/login", "x").statusCode()).isEqualTo(429);
  }

  @Test
  void theBodyIsLeftToTheApplication() throws Exception {
    RateLimiter limiter = limiter("9/1m");
    serve(
        HttpLimiter.builder()
            .rule(HttpRule.forEverything().charge(limiter, KeyExtractor.queryParameter("user")))
            .build());

    assertThat(post("/echo?user=ann", "user=eve").body()).isEqualTo("user=eve");
    assertThat(limiter.peek("query:user:ann").used()).isEqualTo(1);
  }

  @Test
  void principalAndRouteCanBeFoundElsewhere() throws Exception {
    RateLimiter limiter = limiter("9/1m");
    HttpLimiter both =
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(limiter, KeyExtractor.principal().and(KeyExtractor.route())))
            .build();
    RateLimitFilter filter =
        RateLimitFilter.builder(both)
            .principal(request -> request.getHeader("X-User"))
            .route(request -> "GET " + request.getHttpServletMapping().getPattern())
            .build();
    serve(5, filter, EnumSet.of(DispatcherType.REQUEST), true);

    get("/ok", "X-User", "ann");

    assertThat(limiter.peek("(user:ann|route:GET /)").used()).isEqualTo(1);
  }
}
