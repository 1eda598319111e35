package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.RateLimiter;
import dev.sash.http.Charge;
import dev.sash.http.HttpLimiter;
import dev.sash.http.HttpRule;
import dev.sash.http.KeyExtractor;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** A store that answers later: no thread waits for it, and nobody gets through meanwhile. */
class LateDecisionsIT extends InContainer {
  private static final EnumSet<DispatcherType> REQUEST_ONLY = EnumSet.of(DispatcherType.REQUEST);

  @Test
  void noThreadWaitsWhileDecisionsArePending() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(1, RateLimitFilter.of(perAddress(pending.limiter("4/1m"))), REQUEST_AND_ASYNC, true);
    List<CompletableFuture<HttpResponse<String>>> responses = getLater("/ok", 10);

    eventually("one thread took ten requests", () -> pending.pending() == 10);
    assertThat(get("/health").statusCode()).as("and has time for another").isEqualTo(200);
    assertThat(responses).noneMatch(CompletableFuture::isDone);
    pending.decide(10);

    List<HttpResponse<String>> done = joined(responses);
    assertThat(count(done, 200)).isEqualTo(4);
    assertThat(count(done, 429)).isEqualTo(6);
    assertThat(done)
        .filteredOn(r -> r.statusCode() == 200)
        .allMatch(r -> header(r, "RateLimit").startsWith("\"test\";r=") && r.body().equals("ok"));
    assertThat(done)
        .filteredOn(r -> r.statusCode() == 429)
        .allMatch(r -> header(r, "Retry-After").equals("60") && r.body().startsWith("{"));
    assertThat(application.handled()).as("and the health check").isEqualTo(4 + 1);
  }

  @Test
  void of200ParallelRequestsExactlyTheLimitGetThrough() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(4, RateLimitFilter.of(perAddress(pending.limiter("50/1m"))), EVERY_DISPATCH, true);
    List<CompletableFuture<HttpResponse<String>>> responses = getLater("/ok", 200);
    pending.decide(200);

    List<HttpResponse<String>> done = joined(responses);

    assertThat(count(done, 200)).isEqualTo(50);
    assertThat(count(done, 429)).isEqualTo(150);
    assertThat(application.handled()).isEqualTo(50);
  }

  @Test
  void aThreadWaitsWhereItIsTold() throws Exception {
    PendingStore pending = new PendingStore(store);
    RateLimitFilter waiting =
        RateLimitFilter.builder(perAddress(pending.limiter("1/1m"))).waitForDecisions().build();
    serve(5, waiting, REQUEST_ONLY, true);
    checkOneIsAdmitted(pending);
  }

  @Test
  void aThreadWaitsWhereItMust() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(5, RateLimitFilter.of(perAddress(pending.limiter("1/1m"))), REQUEST_ONLY, false);
    checkOneIsAdmitted(pending);
  }

  @Test
  void limitsHoldEvenIfTheFilterIsMappedToRequestsOnly() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(5, RateLimitFilter.of(perAddress(pending.limiter("1/1m"))), REQUEST_ONLY, true);
    checkOneIsAdmitted(pending);
  }

  private void checkOneIsAdmitted(PendingStore pending) throws Exception {
    CompletableFuture<HttpResponse<String>> first = getLater("/ok");
    pending.decide(1);
    assertThat(first.join().statusCode()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> second = getLater("/ok");
    pending.decide(1);
    assertThat(second.join().statusCode()).isEqualTo(429);
  }

  @Test
  void theApplicationSeesTheRequestThatWasSent() throws Exception {
    PendingStore pending = new PendingStore(store);
    HttpLimiter someLater =
        HttpLimiter.builder()
            .rule(HttpRule.forEverything().when(r -> r.header("X-Now") != null))
            .rule(
                HttpRule.forEverything()
                    .charge(pending.limiter("100/1m"), KeyExtractor.everybody()))
            .build();
    serve(someLater);
    for (String target :
        List.of(
            "/where",
            "/where?a=1&b=%20%26",
            "/where/caf%C3%A9/a%20b?x",
            "/where/a+b",
            "/where/a%3Fb%23c",
            "/where;x=1/y;z=2",
            "/where/",
            "/forward?a=1",
            "/include?a=1")) {
      HttpResponse<String> now = get(target, "X-Now", "");
      CompletableFuture<HttpResponse<String>> later = getLater(target);
      pending.decide(1);
      assertThat(later.join().body()).as(target).isEqualTo(now.body()).contains("/app/");
    }
  }

  @Test
  void aDecisionThatFailsIsAnErrorAndNotAFreePass() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(perAddress(pending.limiter("1/1m")));
    CompletableFuture<HttpResponse<String>> response = getLater("/ok");
    pending.fail();

    assertThat(response.join().statusCode()).isEqualTo(500);
    assertThat(application.handled()).isZero();
  }

  private void serveImpatiently(HttpLimiter limiter) throws Exception {
    Filter impatient =
        (request, response, chain) ->
            chain.doFilter(new Impatient((HttpServletRequest) request), response);
    serve(
        20,
        context -> {
          add(context, "impatient", impatient, REQUEST_ONLY);
          add(context, "limit", RateLimitFilter.of(limiter), EVERY_DISPATCH);
          application.addTo(context, true);
        });
  }

  @Test
  void aDecisionThatComesTooLateIsGivenBack() throws Exception {
    RateLimiter memory = limiter("1/1m");
    PendingStore pending = new PendingStore(store);
    serveImpatiently(perAddress(pending.limiter("1/1m")));

    assertThat(get("/ok").statusCode()).isEqualTo(503);
    pending.decide(1);

    assertThat(memory.peek(ME).used()).isZero();
    assertThat(application.handled()).isZero();
  }

  @Test
  void aRequestThatWaitsLongerThanTheContainerIsWithdrawn() throws Exception {
    RateLimiter memory = limiter("1/1s");
    Charge waiting =
        Charge.of(memory, KeyExtractor.clientAddress()).maxWait(Duration.ofSeconds(10), 1);
    serveImpatiently(HttpLimiter.builder().rule(HttpRule.forEverything().charge(waiting)).build());
    assertThat(get("/ok").statusCode()).isEqualTo(200);

    for (int i = 0; i < 2; i++) { // one may wait
      assertThat(get("/ok").statusCode()).isEqualTo(503);
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(memory.peek(ME).used()).isZero();
    assertThat(get("/ok").statusCode()).isEqualTo(200);
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
    PendingStore pending = new PendingStore(store);
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    Filter after =
        (request, response, chain) -> {
          seen.add(request.getDispatcherType() + " " + request.isAsyncStarted());
          chain.doFilter(request, response);
        };
    serve(
        20,
        context -> {
          add(
              context,
              "limit",
              RateLimitFilter.of(perAddress(pending.limiter("9/1m"))),
              REQUEST_AND_ASYNC);
          add(context, "after", after, REQUEST_AND_ASYNC);
          application.addTo(context, true);
        });
    CompletableFuture<HttpResponse<String>> response = getLater("/async-dispatch");
    pending.decide(1);

    assertThat(response.join().statusCode()).isEqualTo(200);
    assertThat(seen).containsExactly("REQUEST false", "ASYNC false", "ASYNC false");
  }

  @Test
  void registersItselfForRequestsAndTheirAsynchronousDispatches() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(
        20,
        context -> {
          RateLimitFilter.of(perAddress(pending.limiter("9/1m"))).registerIn(context, "/*");
          application.addTo(context, true);
        });
    CompletableFuture<HttpResponse<String>> response = getLater("/ok");
    pending.decide(1);

    assertThat(header(response.join(), "RateLimit")).isEqualTo("\"test\";r=8;t=60");
  }
}
