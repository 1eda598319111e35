package dev.sash.spring.webflux;

import dev.sash.spring.RateLimitExceededException;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Answers denials that no {@code ExceptionHandler} of the application answers. */
public final class RateLimitWebExceptionHandler implements WebExceptionHandler, Ordered {
  private final ExchangeViews views;
  private final ExchangeResponses responses;

  /**
   * A handler.
   *
   * @param views reads requests
   * @param responses writes responses
   */
  public RateLimitWebExceptionHandler(ExchangeViews views, ExchangeResponses responses) {
    this.views = views;
    this.responses = responses;
  }

  /** Before Spring Boot's own, which answers everything. */
  @Override
  public int getOrder() {
    return -2;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable exception) {
    return exception instanceof RateLimitExceededException denial
            && !exchange.getResponse().isCommitted()
        ? views.of(exchange).flatMap(view -> responses.answer(exchange, view, denial))
        : Mono.error(exception);
  }
}
