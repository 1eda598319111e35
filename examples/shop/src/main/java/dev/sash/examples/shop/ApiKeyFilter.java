package dev.sash.examples.shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses API keys that nobody was given. Stands before the limits: otherwise a new key with every
 * request would be a new customer with every request.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class ApiKeyFilter extends OncePerRequestFilter {
  private final List<String> free;
  private final List<String> pro;

  ApiKeyFilter(
      @Value("${shop.api-keys.free}") List<String> free,
      @Value("${shop.api-keys.pro}") List<String> pro) {
    this.free = free;
    this.pro = pro;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String key = request.getHeader("X-Api-Key");
    if (key == null || free.contains(key) || pro.contains(key)) {
      chain.doFilter(request, response);
    } else {
      response.sendError(HttpServletResponse.SC_UNAUTHORIZED);
    }
  }
}
