package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Limit;
import dev.sash.Policy;
import dev.sash.RateLimiter;
import dev.sash.http.Charge;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import dev.sash.http.TrustedProxies;
import dev.sash.http.Verdict;
import dev.sash.memory.InMemoryStore;
import dev.sash.testkit.ManualClock;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the filter promises in every container. */
@Timeout(60)
abstract class RateLimitFilterContract {
  private static final String ME = "ip:127.0.0.1";

  private final ManualClock clock = new ManualClock();
  private final TestApplication application = new TestApplication();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Container container;

  abstract Container start(int threads, Consumer<ServletContext> setUp) throws Exception;

  @AfterEach
  void stop() throws Exception {
    if (container != null) {
      container.stop();
    }
  }

  private RateLimiter limiter(String limit) {
    return InMemoryStore.builder()
        .clock(clock)
        .build()
        .limiter(Policy.of("test", Limit.parse(limit)));
  }

  private static HttpLimiter perAddress(RateLimiter limiter) {
    return HttpLimiter.builder()
        .rule(HttpRule.forEverything().charge(limiter, KeyExtractor.clientAddress()))
        .build();
  }

  private static HttpLimiter onlyFailures(RateLimiter limiter) {
    Charge failures = Charge.of(limiter, KeyExtractor.clientAddress());
    return HttpLimiter.builder()
        .rule(HttpRule.forEverything().charge(failures.onlyIfStatus(status -> status >= 400)))
        .build();
  }

  /** The filter on every dispatch there is, so that it has every chance to charge twice. */
  private void serve(HttpLimiter limiter) throws Exception {
    serve(20, RateLimitFilter.of(limiter), EnumSet.allOf(DispatcherType.class), true);
  }

  private void serve(
      int threads, RateLimitFilter filter, EnumSet<DispatcherType> dispatches, boolean async)
      throws Exception {
    container =
        start(
            threads,
            context -> {
              add(context, "limit", filter, dispatches);
              application.addTo(context, async);
            });
  }

  private static void add(
      ServletContext context, String name, Filter filter, EnumSet<DispatcherType> dispatches) {
    FilterRegistration.Dynamic registration = context.addFilter(name, filter);
    registration.setAsyncSupported(true);
    registration.addMappingForUrlPatterns(dispatches, true, "/*");
  }

  private HttpRequest request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.port() + "/app" + path));
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    return client.send(request(path, headers), BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> getLater(String path) {
    return client.sendAsync(request(path), BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> response, String name) {
    return String.join("|", response.headers().allValues(name));
  }

  private static void eventually(String what, BooleanSupplier condition) throws Exception {
    for (int i = 0; i < 1_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    assertThat(condition.getAsBoolean()).as(what).isTrue();
  }

  @Test
  void of200ParallelRequestsExactlyTheLimitGetThrough() throws Exception {
    serve(perAddress(limiter("50/1m")));
    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      responses.add(getLater("/ok"));
    }

    List<Integer> statuses = responses.stream().map(r -> r.join().statusCode()).toList();

    assertThat(statuses).filteredOn(status -> status == 200).hasSize(50);
    assertThat(statuses).filteredOn(status -> status == 429).hasSize(150);
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
  void aClientThatHonoursRetryAfterSucceedsAtThatSecondAndFailsBefore() throws Exception {
    serve(perAddress(limiter("3/1m")));
    for (int i = 0; i < 3; i++) {
      get("/ok");
      clock.advance(Duration.ofSeconds(7));
    }

    long wait = Long.parseLong(header(get("/ok"), "Retry-After"));

    assertThat(wait).isEqualTo(39);
    clock.advance(Duration.ofSeconds(wait).minusNanos(1_000));
    assertThat(get("/ok").statusCode()).isEqualTo(429);
    clock.advanceMicros(1);
    assertThat(get("/ok").statusCode()).isEqualTo(200);
  }

  @Test
  void peopleReadHtmlAndHeadHasNoBody() throws Exception {
    serve(perAddress(limiter("1/1m")));
    get("/ok");

    HttpResponse<String> html = get("/ok", "Accept", "text/html,*/*;q=0.8");
    HttpResponse<String> head =
        client.send(
            HttpRequest.newBuilder(request("/ok").uri())
                .method("HEAD", BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());

    assertThat(header(html, "Content-Type")).isEqualToIgnoringCase("text/html; charset=utf-8");
    assertThat(html.body()).contains("<h1>Too Many Requests</h1>");
    assertThat(head.statusCode()).isEqualTo(429);
    assertThat(head.body()).isEmpty();
    assertThat(header(head, "Retry-After")).isEqualTo("60");
  }

  @Test
  void aSpoofedXForwardedForDoesNotHelp() throws Exception {
    serve(perAddress(limiter("5/1m")));
    int admitted = 0;
    for (int i = 0; i < 20; i++) {
      HttpResponse<String> response =
          get("/ok", "X-Forwarded-For", "203.0.113." + i, "Forwarded", "for=203.0.113." + i);
      admitted += response.statusCode() == 200 ? 1 : 0;
    }

    assertThat(admitted).isEqualTo(5);
  }

  @Test
  void behindATrustedProxyNeitherSpoofingNorRotationInsideA64Helps() throws Exception {
    serve(
        HttpLimiter.builder()
            .trustedProxies(TrustedProxies.xForwardedFor("127.0.0.1"))
            .rule(HttpRule.forEverything().charge(limiter("5/1m"), KeyExtractor.clientAddress()))
            .build());
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
  void healthChecksAreExemptHoweverThePathIsWritten() throws Exception {
    serve(perAddress(limiter("1/1m")));
    get("/ok");

    assertThat(get("/health").statusCode()).isEqualTo(200);
    assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
    assertThat(header(get("/livez"), "RateLimit")).isEmpty();
    assertThat(get("/ok").statusCode()).isEqualTo(429);
    assertThat(get("/ok;health").statusCode()).isEqualTo(429);
    assertThat(get("//ok").statusCode()).isEqualTo(429);
    assertThat(get("/%6fk").statusCode()).isEqualTo(429);
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
    HttpRequest post =
        HttpRequest.newBuilder(request("/login").uri()).POST(BodyPublishers.ofString("x")).build();
    assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(client.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
  }

  @Test
  void theBodyIsLeftToTheApplication() throws Exception {
    serve(
        HttpLimiter.builder()
            .rule(
                HttpRule.forEverything()
                    .charge(limiter("9/1m"), KeyExtractor.queryParameter("user")))
            .build());
    HttpRequest post =
        HttpRequest.newBuilder(request("/echo?user=ann").uri())
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("user=eve"))
            .build();

    assertThat(client.send(post, BodyHandlers.ofString()).body()).isEqualTo("user=eve");
  }

  @Test
  void aRequestIsChargedOnceHoweverItIsDispatched() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    serve(perAddress(limiter));
    List<String> paths =
        List.of(
            "/ok",
            "/forward",
            "/include",
            "/async-complete",
            "/async-dispatch",
            "/send-error?code=404",
            "/throw");
    for (int i = 0; i < paths.size(); i++) {
      HttpResponse<String> response = get(paths.get(i));
      assertThat(limiter.peek(ME).used()).as(paths.get(i)).isEqualTo(i + 1);
      assertThat(header(response, "RateLimit"))
          .as(paths.get(i))
          .isEqualTo("\"test\";r=" + (99 - i) + ";t=60");
    }
  }

  @Test
  void anErrorBeforeTheFilterIsNotCharged() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    container =
        start(
            20,
            context -> {
              Filter failing =
                  (request, response, chain) -> {
                    if (((HttpServletRequest) request).getDispatcherType()
                        == DispatcherType.REQUEST) {
                      ((jakarta.servlet.http.HttpServletResponse) response).sendError(400);
                    } else {
                      chain.doFilter(request, response);
                    }
                  };
              add(context, "failing", failing, EnumSet.of(DispatcherType.REQUEST));
              RateLimitFilter filter = RateLimitFilter.of(perAddress(limiter));
              add(context, "limit", filter, EnumSet.allOf(DispatcherType.class));
              application.addTo(context, true);
            });

    assertThat(get("/ok").body()).isEqualTo("error page");
    assertThat(limiter.peek(ME).used()).isZero();
  }

  @Test
  void onlyFailuresAreChargedHoweverTheyComeAbout() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    serve(onlyFailures(limiter));
    checkFailures(limiter, path -> {});
  }

  @Test
  void onlyFailuresAreChargedWhenDecisionsComeLater() throws Exception {
    RateLimiter memory = limiter("100/1m");
    PendingLimiter pending = new PendingLimiter(memory);
    serve(onlyFailures(pending));
    checkFailures(memory, path -> pending.decide(1));
  }

  /** What lets a pending decision come. */
  private interface Nudge {
    void to(String path) throws Exception;
  }

  private void checkFailures(RateLimiter limiter, Nudge nudge) throws Exception {
    long expected = 0;
    for (String path : List.of("/ok", "/async-complete", "/async-dispatch", "/forward")) {
      for (int code : new int[] {200, 401}) {
        CompletableFuture<HttpResponse<String>> response = getLater(path + "?code=" + code);
        nudge.to(path);
        assertThat(response.join().statusCode()).as(path).isEqualTo(code);
        expected += code == 401 ? 1 : 0;
        awaitUsed(limiter, expected, path + " " + code);
      }
    }
    for (String path : List.of("/send-error?code=404", "/throw")) {
      CompletableFuture<HttpResponse<String>> response = getLater(path);
      nudge.to(path);
      assertThat(response.join().statusCode()).as(path).isGreaterThanOrEqualTo(400);
      awaitUsed(limiter, ++expected, path);
    }
  }

  /** A charge is settled when the response is done, which its reader may see first. */
  private static void awaitUsed(RateLimiter limiter, long expected, String what) throws Exception {
    eventually(
        what + " leaves " + expected + " charged, were " + limiter.peek(ME).used(),
        () -> limiter.peek(ME).used() == expected);
    Thread.sleep(20); // and it stays so
    assertThat(limiter.peek(ME).used()).as(what).isEqualTo(expected);
  }

  @Test
  void noThreadWaitsWhileDecisionsArePending() throws Exception {
    PendingLimiter pending = new PendingLimiter(limiter("4/1m"));
    serve(
        1,
        RateLimitFilter.of(perAddress(pending)),
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC),
        true);
    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      responses.add(getLater("/ok"));
    }

    eventually("one thread took ten requests", () -> pending.pending() == 10);
    assertThat(get("/health").statusCode()).as("and has time for another").isEqualTo(200);
    assertThat(responses).noneMatch(CompletableFuture::isDone);
    pending.decide(10);

    List<HttpResponse<String>> done = responses.stream().map(CompletableFuture::join).toList();
    assertThat(done).filteredOn(r -> r.statusCode() == 200).hasSize(4);
    assertThat(done).filteredOn(r -> r.statusCode() == 429).hasSize(6);
    assertThat(done)
        .filteredOn(r -> r.statusCode() == 200)
        .allMatch(r -> header(r, "RateLimit").startsWith("\"test\";r=") && r.body().equals("ok"));
    assertThat(done)
        .filteredOn(r -> r.statusCode() == 429)
        .allMatch(r -> header(r, "Retry-After").equals("60") && r.body().startsWith("{"));
    assertThat(application.handled()).isEqualTo(4);
  }

  @Test
  void aRequestIsChargedOnceWhenDecisionsComeLater() throws Exception {
    RateLimiter memory = limiter("100/1m");
    PendingLimiter pending = new PendingLimiter(memory);
    serve(perAddress(pending));
    List<String> paths =
        List.of("/ok", "/forward", "/async-complete", "/async-dispatch", "/send-error?code=404");
    for (int i = 0; i < paths.size(); i++) {
      CompletableFuture<HttpResponse<String>> response = getLater(paths.get(i));
      pending.decide(1);
      assertThat(header(response.join(), "RateLimit"))
          .as(paths.get(i))
          .isEqualTo("\"test\";r=" + (99 - i) + ";t=60");
      assertThat(memory.peek(ME).used()).as(paths.get(i)).isEqualTo(i + 1);
    }
    assertThat(pending.pending()).isZero();
  }

  @Test
  void aThreadWaitsWhereItMustAndWhereItIsTold() throws Exception {
    for (boolean told : new boolean[] {false, true}) {
      PendingLimiter pending = new PendingLimiter(limiter("1/1m"));
      RateLimitFilter.Builder filter = RateLimitFilter.builder(perAddress(pending));
      RateLimitFilter built = told ? filter.waitForDecisions().build() : filter.build();
      serve(5, built, EnumSet.of(DispatcherType.REQUEST), told);
      CompletableFuture<HttpResponse<String>> first = getLater("/ok");
      pending.decide(1);
      assertThat(first.join().statusCode()).isEqualTo(200);
      CompletableFuture<HttpResponse<String>> second = getLater("/ok");
      pending.decide(1);
      assertThat(second.join().statusCode()).isEqualTo(429);
      container.stop();
    }
  }

  @Test
  void limitsHoldEvenIfTheFilterIsMappedToRequestsOnly() throws Exception {
    PendingLimiter pending = new PendingLimiter(limiter("1/1m"));
    serve(5, RateLimitFilter.of(perAddress(pending)), EnumSet.of(DispatcherType.REQUEST), true);
    CompletableFuture<HttpResponse<String>> first = getLater("/ok");
    pending.decide(1);
    assertThat(first.join().statusCode()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> second = getLater("/ok");
    pending.decide(1);
    assertThat(second.join().statusCode()).isEqualTo(429);
  }

  @Test
  void aDecisionThatFailsIsAnErrorAndNotAFreePass() throws Exception {
    PendingLimiter pending = new PendingLimiter(limiter("1/1m"));
    serve(perAddress(pending));
    CompletableFuture<HttpResponse<String>> response = getLater("/ok");
    pending.fail();

    assertThat(response.join().statusCode()).isEqualTo(500);
    assertThat(application.handled()).isZero();
  }

  @Test
  void aDecisionThatComesTooLateIsGivenBack() throws Exception {
    RateLimiter memory = limiter("1/1m");
    PendingLimiter pending = new PendingLimiter(memory);
    container =
        start(
            20,
            context -> {
              Filter impatient =
                  (request, response, chain) ->
                      chain.doFilter(new Impatient((HttpServletRequest) request), response);
              add(context, "impatient", impatient, EnumSet.of(DispatcherType.REQUEST));
              RateLimitFilter filter = RateLimitFilter.of(perAddress(pending));
              add(context, "limit", filter, EnumSet.allOf(DispatcherType.class));
              application.addTo(context, true);
            });

    assertThat(get("/ok").statusCode()).isEqualTo(503);
    pending.decide(1);

    assertThat(memory.peek(ME).used()).isZero();
    assertThat(application.handled()).isZero();
  }

  /** Waits a tenth of a second for what is asynchronous. */
  private static final class Impatient extends HttpServletRequestWrapper {
    Impatient(HttpServletRequest request) {
      super(request);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
      AsyncContext context = super.startAsync(request, response);
      context.setTimeout(100);
      return context;
    }
  }

  @Test
  void theRestOfTheChainSeesAnOrdinaryRequest() throws Exception {
    PendingLimiter pending = new PendingLimiter(limiter("9/1m"));
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    container =
        start(
            20,
            context -> {
              EnumSet<DispatcherType> both =
                  EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC);
              Filter after =
                  (request, response, chain) -> {
                    seen.add(request.getDispatcherType() + " " + request.isAsyncStarted());
                    chain.doFilter(request, response);
                  };
              add(context, "limit", RateLimitFilter.of(perAddress(pending)), both);
              add(context, "after", after, both);
              application.addTo(context, true);
            });
    CompletableFuture<HttpResponse<String>> response = getLater("/async-dispatch");
    pending.decide(1);

    assertThat(response.join().statusCode()).isEqualTo(200);
    assertThat(seen).containsExactly("REQUEST false", "ASYNC false", "ASYNC false");
  }

  @Test
  void registersItselfForRequestsAndTheirAsynchronousDispatches() throws Exception {
    PendingLimiter pending = new PendingLimiter(limiter("9/1m"));
    container =
        start(
            20,
            context -> {
              RateLimitFilter.of(perAddress(pending)).registerIn(context, "/*");
              application.addTo(context, true);
            });
    CompletableFuture<HttpResponse<String>> response = getLater("/ok");
    pending.decide(1);

    assertThat(header(response.join(), "RateLimit")).isEqualTo("\"test\";r=8;t=60");
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

  @Test
  void theApplicationFindsTheVerdictAndCanAskForMore() throws Exception {
    RateLimiter limiter = limiter("9/1m");
    HttpLimiter perAddress = perAddress(limiter);
    RateLimitFilter filter = RateLimitFilter.of(perAddress);
    Filter asking =
        (request, response, chain) -> {
          Verdict first = (Verdict) request.getAttribute(RateLimitFilter.VERDICT);
          perAddress
              .check(filter.viewOf((HttpServletRequest) request))
              .toCompletableFuture()
              .join();
          first.giveBack();
          chain.doFilter(request, response);
        };
    EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
    container =
        start(
            5,
            context -> {
              add(context, "limit", filter, requests);
              add(context, "ask", asking, requests);
              application.addTo(context, true);
            });

    assertThat(get("/ok").statusCode()).isEqualTo(200);
    assertThat(limiter.peek(ME).used()).isEqualTo(1);
  }
}
