package dev.sash.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.RateLimiter;
import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A request is charged once, in however many dispatches; and kept or given back once, at its end.
 */
class DispatchesIT extends InContainer {
  private static final List<String> EVERY_WAY =
      List.of(
          "/ok",
          "/forward",
          "/include",
          "/async-complete",
          "/async-dispatch",
          "/async-throw",
          "/send-error?code=404",
          "/throw");

  /** What lets a decision come that is pending. */
  private interface Nudge {
    void decide() throws Exception;
  }

  @Test
  void aRequestIsChargedOnceHoweverItIsDispatched() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    serve(perAddress(limiter));
    checkChargedOnce(limiter, () -> {});
  }

  @Test
  void aRequestIsChargedOnceWhenDecisionsComeLater() throws Exception {
    RateLimiter memory = limiter("100/1m");
    PendingStore pending = new PendingStore(store);
    serve(perAddress(pending.limiter("100/1m")));
    checkChargedOnce(memory, () -> pending.decide(1));
    assertThat(pending.pending()).isZero();
  }

  private void checkChargedOnce(RateLimiter limiter, Nudge nudge) throws Exception {
    for (int i = 0; i < EVERY_WAY.size(); i++) {
      String path = EVERY_WAY.get(i);
      CompletableFuture<HttpResponse<String>> response = getLater(path);
      nudge.decide();
      boolean fails = path.contains("throw") || path.contains("error");
      assertThat(response.join().statusCode() >= 400).as(path).isEqualTo(fails);
      assertThat(header(response.join(), "RateLimit"))
          .as(path)
          .isEqualTo("\"test\";r=" + (99 - i) + ";t=60");
      assertThat(limiter.peek(ME).used()).as(path).isEqualTo(i + 1);
    }
    stop();
    assertThat(limiter.peek(ME).used()).isEqualTo(EVERY_WAY.size());
  }

  @Test
  void onlyFailuresAreChargedHoweverTheyComeAbout() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    serve(onlyFailures(limiter));
    checkOnlyFailures(limiter, () -> {});
  }

  @Test
  void onlyFailuresAreChargedWhenDecisionsComeLater() throws Exception {
    RateLimiter memory = limiter("100/1m");
    PendingStore pending = new PendingStore(store);
    serve(onlyFailures(pending.limiter("100/1m")));
    checkOnlyFailures(memory, () -> pending.decide(1));
  }

  private void checkOnlyFailures(RateLimiter limiter, Nudge nudge) throws Exception {
    Map<String, Integer> statuses = new LinkedHashMap<>();
    for (String path : List.of("/ok", "/forward", "/async-complete", "/async-dispatch")) {
      statuses.put(path + "?code=200", 200);
      statuses.put(path + "?code=401", 401);
    }
    statuses.put("/include", 200);
    statuses.put("/send-error?code=404", 404);
    statuses.put("/throw", 500);
    statuses.put("/async-throw", 500);
    long failures = 0;
    for (String path : statuses.keySet()) {
      CompletableFuture<HttpResponse<String>> response = getLater(path);
      nudge.decide();
      assertThat(response.join().statusCode()).as(path).isEqualTo(statuses.get(path));
      failures += statuses.get(path) >= 400 ? 1 : 0;
      long expected = failures;
      // Settled when the response is done, which its reader may see first.
      eventually(
          path + " leaves " + expected + " charged", () -> limiter.peek(ME).used() == expected);
    }
    stop();
    assertThat(limiter.peek(ME).used()).as("nothing is given back later").isEqualTo(failures);
  }

  @Test
  void anErrorBeforeTheFilterIsNotCharged() throws Exception {
    RateLimiter limiter = limiter("100/1m");
    Filter failing =
        (request, response, chain) -> {
          if (request.getDispatcherType() == DispatcherType.REQUEST) {
            ((HttpServletResponse) response).sendError(400);
          } else {
            chain.doFilter(request, response);
          }
        };
    serve(
        20,
        context -> {
          add(context, "failing", failing, EnumSet.of(DispatcherType.REQUEST));
          add(context, "limit", RateLimitFilter.of(perAddress(limiter)), EVERY_DISPATCH);
          application.addTo(context, true);
        });

    assertThat(get("/ok").body()).isEqualTo("error page");
    assertThat(limiter.peek(ME).used()).isZero();
  }

  /** Then a thread waits for the decision, and the charge is settled at the end of the request. */
  @Test
  void aFilterInFrontMayHaveMadeTheRequestAsynchronous() throws Exception {
    RateLimiter memory = limiter("100/1m");
    PendingStore pending = new PendingStore(store);
    Filter starting =
        (request, response, chain) -> {
          AsyncContext async = request.startAsync();
          chain.doFilter(request, response);
          new Thread(
                  () -> {
                    ((HttpServletResponse) response).setStatus(401);
                    async.complete();
                  })
              .start();
        };
    serve(
        20,
        context -> {
          add(context, "starting", starting, EnumSet.of(DispatcherType.REQUEST));
          add(
              context,
              "limit",
              RateLimitFilter.of(onlyFailures(pending.limiter("100/1m"))),
              EVERY_DISPATCH);
          application.addTo(context, true);
        });
    CompletableFuture<HttpResponse<String>> response = getLater("/silent");
    pending.decide(1);

    assertThat(response.join().statusCode()).isEqualTo(401);
    stop();
    assertThat(memory.peek(ME).used()).isEqualTo(1);
  }

  @Test
  void aForwardOrAnIncludeThatIsLimitedByItselfWaitsForItsDecision() throws Exception {
    PendingStore pending = new PendingStore(store);
    serve(
        20,
        RateLimitFilter.of(perAddress(pending.limiter("1/1m"))),
        EnumSet.of(DispatcherType.FORWARD, DispatcherType.INCLUDE),
        true);
    CompletableFuture<HttpResponse<String>> included = getLater("/include");
    pending.decide(1);
    assertThat(included.join().body()).startsWith("INCLUDE /app/");
    CompletableFuture<HttpResponse<String>> forwarded = getLater("/forward");
    pending.decide(1);

    assertThat(forwarded.join().statusCode()).isEqualTo(429);
    assertThat(get("/ok").statusCode()).as("is not limited").isEqualTo(200);
  }

  @Test
  void eachOfSeveralFiltersCharges() throws Exception {
    RateLimiter one = limiter("one", "100/1m");
    RateLimiter other = limiter("other", "100/1m");
    serve(
        20,
        context -> {
          RateLimitFilter.of(perAddress(one)).registerIn(context, "/*");
          RateLimitFilter.of(perAddress(other)).registerIn(context, "/*");
          application.addTo(context, true);
        });

    get("/async-dispatch");

    assertThat(one.peek(ME).used()).isEqualTo(1);
    assertThat(other.peek(ME).used()).isEqualTo(1);
  }

  @Test
  void theApplicationFindsTheVerdictAndCanAskForMore() throws Exception {
    RateLimiter limiter = limiter("9/1m");
    HttpLimiter perAddress = perAddress(limiter);
    RateLimitFilter filter = RateLimitFilter.of(perAddress);
    Filter asking =
        (request, response, chain) -> {
          Verdict first = (Verdict) request.getAttribute(RateLimitFilter.VERDICT);
          var unused =
              perAddress
                  .check(filter.viewOf((HttpServletRequest) request))
                  .toCompletableFuture()
                  .join();
          first.giveBack();
          chain.doFilter(request, response);
        };
    serve(
        5,
        context -> {
          add(context, "limit", filter, REQUEST_AND_ASYNC);
          add(context, "ask", asking, REQUEST_AND_ASYNC);
          application.addTo(context, true);
        });

    assertThat(get("/ok").statusCode()).isEqualTo(200);
    assertThat(limiter.peek(ME).used()).isEqualTo(1);
  }
}
