package dev.sash.spring.webflux;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.web.HandlerLimits;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Limits requests behind the filter, such as those of a gateway's route. Thread-safe. */
public final class ExchangeLimits {
  private final ExchangeViews views;
  private final ExchangeResponses responses;

  /**
   * Creates an instance.
   *
   * @param views reads requests
   * @param responses writes responses
   */
  public ExchangeLimits(ExchangeViews views, ExchangeResponses responses) {
    this.views = views;
    this.responses = responses;
  }

  /**
   * Decides a request. Its fields are written together with those of the filter; if it is denied,
   * the permits that the filter charged are refunded and the response is complete.
   *
   * @param exchange the request and its response
   * @param limiter decides
   * @param route returns what the key {@code route} is; null if it is unknown
   * @param next handles an admitted request
   * @return completes with the response
   */
  public Mono<Void> limit(
      ServerWebExchange exchange,
      HttpLimiter limiter,
      Function<ServerWebExchange, @Nullable String> route,
      Supplier<Mono<Void>> next) {
    return views
        .of(exchange)
        .map(view -> new ExchangeView(exchange, view.principal(), null, route))
        .flatMap(
            view -> later(limiter.check(view)).flatMap(verdict -> proceed(view, verdict, next)));
  }

  /**
   * Returns a decision that never arrives within the call, and never on a thread of the store's,
   * which what follows must not keep. Reactor Netty 1.3.6 does not read on from a connection if it
   * had to buffer a request there, since the response before was completed on another thread, and
   * the buffered request is then answered within the call. A gateway does both.
   *
   * @param stage the decision
   * @param <T> what is decided
   * @return completes on another thread
   */
  public static <T> Mono<T> later(CompletionStage<T> stage) {
    return Mono.fromFuture(stage.toCompletableFuture(), true).publishOn(Schedulers.parallel());
  }

  private Mono<Void> proceed(ExchangeView view, Verdict verdict, Supplier<Mono<Void>> next) {
    ServerWebExchange exchange = view.exchange();
    if (verdict.allowed()) {
      verdict.decisions().forEach(decision -> responses.tell(exchange, view, decision));
      ExchangeResponses.settleAtTheEnd(exchange, verdict);
      return next.get();
    }
    Optional<RateLimitExceededException> denial = HandlerLimits.denial(verdict);
    return denial.isPresent()
        ? responses.answer(exchange, view, denial.get())
        : responses.answer(exchange, verdict); // on a list
  }
}
