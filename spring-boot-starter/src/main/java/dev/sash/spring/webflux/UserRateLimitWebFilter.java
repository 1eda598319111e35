package dev.sash.spring.webflux;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits requests by user, after Spring Security; or passes them on if no policy does. */
public final class UserRateLimitWebFilter implements WebFilter, Ordered {
  private final @Nullable RateLimitWebFilter filter;
  private final int order;

  /**
   * Creates a filter.
   *
   * @param filter limits; null if no policy needs the user
   * @param order where it stands among the others
   */
  public UserRateLimitWebFilter(@Nullable RateLimitWebFilter filter, int order) {
    this.filter = filter;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return filter == null ? chain.filter(exchange) : filter.filter(exchange, chain);
  }
}
