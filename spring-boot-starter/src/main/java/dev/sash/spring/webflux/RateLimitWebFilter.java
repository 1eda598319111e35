package dev.sash.spring.webflux;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.spring.method.RequestReport;
import dev.sash.spring.web.LoginOutcome;
import java.util.concurrent.CompletionStage;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits requests of WebFlux by the same verdicts as {@code RateLimitFilter} of servlets. */
public final class RateLimitWebFilter implements WebFilter, Ordered {
  private final HttpLimiter limiter;
  private final ExchangeViews views;
  private final ExchangeResponses responses;
  private final int order;

  /**
   * A filter.
   *
   * @param limiter decides
   * @param views reads requests
   * @param responses writes responses
   * @param order where it stands among the others
   */
  public RateLimitWebFilter(
      HttpLimiter limiter, ExchangeViews views, ExchangeResponses responses, int order) {
    this.limiter = limiter;
    this.views = views;
    this.responses = responses;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return views
        .of(exchange)
        .flatMap(
            view ->
                ExchangeResponses.verdict(check(exchange, view))
                    .flatMap(verdict -> goOn(exchange, view, verdict, chain)));
  }

  private CompletionStage<Verdict> check(ServerWebExchange exchange, ExchangeView view) {
    Verdict earlier = ExchangeResponses.verdictOf(exchange);
    return earlier == null ? limiter.check(view) : limiter.check(view, earlier);
  }

  private Mono<Void> goOn(
      ServerWebExchange exchange, ExchangeView view, Verdict verdict, WebFilterChain chain) {
    if (!verdict.allowed()) {
      return responses.answer(exchange, verdict);
    }
    ExchangeResponses.admit(exchange, verdict);
    RequestReport report = decision -> responses.tell(exchange, view, decision);
    LoginOutcome login = new LoginOutcome(limiter, view, verdict);
    return chain
        .filter(exchange)
        .contextWrite(
            context -> context.put(RequestReport.class, report).put(LoginOutcome.class, login));
  }
}
