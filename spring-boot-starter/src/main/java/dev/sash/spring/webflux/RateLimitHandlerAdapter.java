package dev.sash.spring.webflux;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.method.CallerRoles;
import dev.sash.spring.web.HandlerLimits;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Limits handlers that are annotated without a key, whatever they return, and then leaves them to
 * Spring's own adapter.
 */
public final class RateLimitHandlerAdapter implements HandlerAdapter, Ordered {
  private final HandlerLimits limits;
  private final ExchangeViews views;
  private final ExchangeResponses responses;
  private final Supplier<? extends HandlerAdapter> next;

  /**
   * An adapter.
   *
   * @param limits which handlers are limited
   * @param views reads requests
   * @param responses writes responses
   * @param next calls handlers
   */
  public RateLimitHandlerAdapter(
      HandlerLimits limits,
      ExchangeViews views,
      ExchangeResponses responses,
      Supplier<? extends HandlerAdapter> next) {
    this.limits = limits;
    this.views = views;
    this.responses = responses;
    this.next = next;
  }

  /** Before Spring's own. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public boolean supports(Object handler) {
    return limiterOf(handler) != null;
  }

  private @Nullable HttpLimiter limiterOf(Object handler) {
    return handler instanceof HandlerMethod method
        ? limits.find(method.getMethod(), method.getBeanType())
        : null;
  }

  @Override
  public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
    HttpLimiter limiter = limiterOf(handler);
    if (limiter == null) {
      return next.get().handle(exchange, handler);
    }
    return exchange
        .getPrincipal()
        .map(principal -> applies(handler, principal))
        .defaultIfEmpty(applies(handler, null))
        .flatMap(
            applies ->
                applies
                    ? limited(exchange, handler, limiter)
                    : next.get().handle(exchange, handler));
  }

  private boolean applies(Object handler, @Nullable Principal principal) {
    return !(handler instanceof HandlerMethod method)
        || limits.apply(method.getMethod(), method.getBeanType(), CallerRoles.of(principal));
  }

  private Mono<HandlerResult> limited(
      ServerWebExchange exchange, Object handler, HttpLimiter limiter) {
    return views
        .of(exchange)
        .flatMap(
            view ->
                ExchangeResponses.verdict(limiter.check(view))
                    .flatMap(verdict -> goOn(exchange, handler, view, verdict)));
  }

  private Mono<HandlerResult> goOn(
      ServerWebExchange exchange, Object handler, ExchangeView view, Verdict verdict) {
    if (verdict.allowed()) {
      verdict.decisions().forEach(decision -> responses.tell(exchange, view, decision));
      ExchangeResponses.settleAtTheEnd(exchange, verdict);
      return next.get().handle(exchange, handler);
    }
    Optional<RateLimitExceededException> denial = HandlerLimits.denial(verdict);
    return denial.isPresent()
        ? Mono.error(denial.get())
        : responses.answer(exchange, verdict).then(Mono.empty()); // on a list
  }
}
