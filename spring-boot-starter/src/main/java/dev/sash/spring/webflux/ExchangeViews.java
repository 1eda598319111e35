package dev.sash.spring.webflux;

import dev.sash.spring.web.LoginForms;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Reads requests: the user, the name in a login form, and the handler they will be sent to. */
public final class ExchangeViews {
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private final Supplier<List<RequestMappingHandlerMapping>> mappings;
  private final LoginForms forms;

  /**
   * A reader.
   *
   * @param mappings asked with the first request that is limited by its route
   * @param forms recognizes login forms
   */
  public ExchangeViews(Supplier<List<RequestMappingHandlerMapping>> mappings, LoginForms forms) {
    this.mappings = mappings;
    this.forms = forms;
  }

  Mono<ExchangeView> of(ServerWebExchange exchange) {
    Mono<Optional<String>> principal =
        exchange.getPrincipal().map(ExchangeViews::nameOf).defaultIfEmpty(Optional.empty());
    if (!isLoginForm(exchange.getRequest())) {
      return principal.map(name -> view(exchange, name.orElse(null), null));
    }
    // The exchange keeps the form for its later readers.
    Mono<Optional<String>> formName =
        exchange
            .getFormData()
            .map(form -> Optional.ofNullable(form.getFirst(forms.parameter())))
            .onErrorReturn(Optional.empty());
    return principal.zipWith(
        formName, (name, login) -> view(exchange, name.orElse(null), login.orElse(null)));
  }

  private ExchangeView view(
      ServerWebExchange exchange, @Nullable String principal, @Nullable String formName) {
    return new ExchangeView(exchange, principal, formName, this::routeOf);
  }

  private boolean isLoginForm(ServerHttpRequest request) {
    return MediaType.APPLICATION_FORM_URLENCODED.isCompatibleWith(
            request.getHeaders().getContentType())
        && forms.match(request.getMethod().name(), request.getPath().pathWithinApplication());
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
