package dev.sash.spring.webflux;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.spring.method.RequestReport;
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
                ExchangeResponses.verdict(limiter.check(view))
                    .flatMap(verdict -> goOn(exchange, view, verdict, chain)));
  }

  private Mono<Void> goOn(
      ServerWebExchange exchange, ExchangeView view, Verdict verdict, WebFilterChain chain) {
    if (!verdict.allowed()) {
      return ExchangeResponses.answer(exchange, verdict);
    }
    ExchangeResponses.admit(exchange, verdict);
    RequestReport report = decision -> responses.tell(exchange, view, decision);
    return chain.filter(exchange).contextWrite(context -> context.put(RequestReport.class, report));
  }
}
