package dev.sash.spring.webflux;

import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Reads requests: who is authenticated, and to which handler they will be sent. */
public final class ExchangeViews {
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private final Supplier<List<RequestMappingHandlerMapping>> mappings;

  /**
   * A reader.
   *
   * @param mappings asked with the first request that is limited by its route
   */
  public ExchangeViews(Supplier<List<RequestMappingHandlerMapping>> mappings) {
    this.mappings = mappings;
  }

  Mono<ExchangeView> of(ServerWebExchange exchange) {
    return exchange
        .getPrincipal()
        .map(ExchangeViews::nameOf)
        .defaultIfEmpty(Optional.empty())
        .map(name -> new ExchangeView(exchange, name.orElse(null), this::routeOf));
  }

  private static Optional<String> nameOf(Principal principal) {
    return principal.getClass().getName().equals(ANONYMOUS)
        ? Optional.empty()
        : Optional.ofNullable(principal.getName());
  }

  private @Nullable String routeOf(ServerWebExchange exchange) {
    for (RequestMappingHandlerMapping mapping : mappings.get()) {
      if (exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE) != null) {
        break;
      }
      // Complete at once; a mapping that is not finds no route, which is no way around a limit.
      var unused = mapping.getHandler(exchange).onErrorComplete().toFuture();
    }
    Object pattern = exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    return pattern == null ? null : pattern.toString();
  }
}
