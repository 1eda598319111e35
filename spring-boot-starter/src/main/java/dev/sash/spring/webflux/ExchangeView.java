package dev.sash.spring.webflux;

import dev.sash.http.RequestView;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/**
 * A request of WebFlux as {@link dev.sash.http.HttpLimiter} reads it.
 *
 * @param exchange the request
 * @param principal who was authenticated; null if nobody was
 * @param formName the name in a login form; null if there is none
 * @param routes finds the pattern of the handler
 */
record ExchangeView(
    ServerWebExchange exchange,
    @Nullable String principal,
    @Nullable String formName,
    Function<ServerWebExchange, @Nullable String> routes)
    implements RequestView {

  @Override
  public String method() {
    return exchange.getRequest().getMethod().name();
  }

  @Override
  public String path() {
    return exchange.getRequest().getPath().value();
  }

  @Override
  public String contextPath() {
    return exchange.getRequest().getPath().contextPath().value();
  }

  @Override
  public @Nullable String query() {
    return exchange.getRequest().getURI().getRawQuery();
  }

  @Override
  public List<String> headers(String name) {
    return exchange.getRequest().getHeaders().getOrEmpty(name);
  }

  @Override
  public @Nullable String peerAddress() {
    InetSocketAddress peer = exchange.getRequest().getRemoteAddress();
    return peer == null || peer.getAddress() == null ? null : peer.getAddress().getHostAddress();
  }

  @Override
  public @Nullable String loginName() {
    String basic = RequestView.super.loginName();
    if (basic == null || formName == null) {
      return basic == null ? formName : basic;
    }
    return basic.equals(formName) ? basic : null; // one name must not hide another
  }

  @Override
  public @Nullable String routeTemplate() {
    return routes.apply(exchange);
  }
}
