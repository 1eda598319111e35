package dev.sash.spring.webflux;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Adds the fields of CORS to denials, as the application is configured: without them, a browser
 * hides a denial from the page that caused it. The application itself has not seen the request.
 */
public final class ReactiveCorsFields {
  /** As Spring Security names it. */
  private static final String SOURCE = "corsConfigurationSource";

  private final ListableBeanFactory beans;
  private final Supplier<List<RequestMappingHandlerMapping>> mappings;
  private final DefaultCorsProcessor processor = new DefaultCorsProcessor();

  /**
   * Creates a writer of fields.
   *
   * @param beans contains the configuration; read when a request is denied
   * @param mappings the handlers, which may be configured for CORS
   */
  public ReactiveCorsFields(
      ListableBeanFactory beans, Supplier<List<RequestMappingHandlerMapping>> mappings) {
    this.beans = beans;
    this.mappings = mappings;
  }

  /** Sets header fields, and perhaps a status, which the denial replaces. Never fails. */
  Mono<Void> addTo(ServerWebExchange exchange) {
    if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
      return Mono.empty();
    }
    @Nullable CorsWebFilter filter = beans.getBeanProvider(CorsWebFilter.class).getIfUnique();
    if (filter != null) {
      return filter.filter(exchange, unused -> Mono.empty()).onErrorComplete();
    }
    if (beans.containsBean(SOURCE) && beans.isTypeMatch(SOURCE, CorsConfigurationSource.class)) {
      var configuration =
          beans.getBean(SOURCE, CorsConfigurationSource.class).getCorsConfiguration(exchange);
      if (configuration != null) {
        return Mono.<Void>fromRunnable(() -> processor.process(configuration, exchange))
            .onErrorComplete();
      }
    }
    // The mapping of a handler adds the fields when it finds the handler.
    return Flux.fromIterable(mappings.get())
        .concatMap(mapping -> mapping.getHandler(exchange).onErrorComplete())
        .next()
        .then();
  }
}
