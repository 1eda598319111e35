package dev.sash.spring.webflux;

import dev.sash.http.HttpLimiter;
import dev.sash.http.PolicyDecision;
import dev.sash.http.Verdict;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.web.RequestDecisions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Writes decisions to responses, those of the filter and those behind it in the same words. */
public final class ExchangeResponses {
  private final HttpLimiter limiter;
  private final ReactiveCorsFields cors;

  /**
   * A writer.
   *
   * @param limiter knows the fields
   * @param cors adds the fields of CORS to denials
   */
  public ExchangeResponses(HttpLimiter limiter, ReactiveCorsFields cors) {
    this.limiter = limiter;
    this.cors = cors;
  }

  /** Returns the verdict of the filter that has admitted a request; null if there is none. */
  static @Nullable Verdict verdictOf(ServerWebExchange exchange) {
    @Nullable RequestDecisions known = exchange.getAttribute(RequestDecisions.ATTRIBUTE);
    return known == null ? null : known.verdict();
  }

  /**
   * A verdict, not on a thread of the store's: what follows must not keep it. A client that
   * disconnects before it withdraws its request.
   */
  static Mono<Verdict> verdict(CompletionStage<Verdict> stage) {
    CompletableFuture<Verdict> verdict = stage.toCompletableFuture();
    Mono<Verdict> mono = Mono.fromFuture(verdict);
    return verdict.isDone()
        ? mono
        : mono.publishOn(Schedulers.parallel()).doOnDiscard(Verdict.class, Verdict::giveBack);
  }

  /** The request goes on: the filter's verdict is kept with it until it is done. */
  static void admit(ServerWebExchange exchange, Verdict verdict) {
    exchange.getAttributes().put(RequestDecisions.ATTRIBUTE, new RequestDecisions(verdict));
    set(exchange.getResponse(), verdict.headers());
    settleAtTheEnd(exchange, verdict);
  }

  static void settleAtTheEnd(ServerWebExchange exchange, Verdict verdict) {
    if (verdict.dependsOnOutcome()) {
      ServerHttpResponse response = exchange.getResponse();
      response.beforeCommit(
          () -> {
            HttpStatusCode status = response.getStatusCode();
            return Mono.fromRunnable(() -> verdict.settle(status == null ? 200 : status.value()));
          });
    }
  }

  /** Tells of an admission behind the filter. */
  void tell(ServerWebExchange exchange, ExchangeView view, PolicyDecision decision) {
    if (!exchange.getResponse().isCommitted()) {
      var all = decisionsOf(exchange).with(decision);
      set(exchange.getResponse(), limiter.report(view, all).headers());
    }
  }

  /** Answers a request that ends with a denial behind the filter. */
  Mono<Void> answer(
      ServerWebExchange exchange, ExchangeView view, RateLimitExceededException denial) {
    return answer(exchange, limiter.report(view, decisionsOf(exchange).endedBy(denial)));
  }

  /** Answers a request that is denied. */
  Mono<Void> answer(ServerWebExchange exchange, Verdict verdict) {
    // On another thread: see ExchangeLimits.later.
    return cors.addTo(exchange)
        .then(Mono.defer(() -> write(exchange, verdict)))
        .subscribeOn(Schedulers.parallel());
  }

  private static Mono<Void> write(ServerWebExchange exchange, Verdict verdict) {
    byte[] body = verdict.body().getBytes(StandardCharsets.UTF_8);
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(verdict.status()));
    set(response, verdict.headers());
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
  }

  private static void set(ServerHttpResponse response, Map<String, String> fields) {
    HttpHeaders headers = response.getHeaders();
    fields.forEach(headers::set);
  }

  private static RequestDecisions decisionsOf(ServerWebExchange exchange) {
    @Nullable RequestDecisions known = exchange.getAttribute(RequestDecisions.ATTRIBUTE);
    return known == null ? new RequestDecisions(null) : known;
  }
}
