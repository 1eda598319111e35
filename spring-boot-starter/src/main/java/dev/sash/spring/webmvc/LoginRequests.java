package dev.sash.spring.webmvc;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.web.LoginOutcome;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Knows the request of the thread while Spring Security authenticates it: its events do not. Stands
 * just before Spring Security.
 */
public final class LoginRequests implements Filter {
  private static final ThreadLocal<@Nullable HttpServletRequest> CURRENT = new ThreadLocal<>();

  private final HttpLimiter limiter;
  private final RateLimitFilter filter;

  /**
   * Creates a filter.
   *
   * @param limiter knows which policies charge failed logins
   * @param filter reads requests
   */
  public LoginRequests(HttpLimiter limiter, RateLimitFilter filter) {
    this.limiter = limiter;
    this.filter = filter;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest outer = CURRENT.get();
    CURRENT.set(request instanceof HttpServletRequest http ? http : null);
    try {
      chain.doFilter(request, response);
    } finally {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    }
  }

  /**
   * Returns what receives the outcome of this thread's login.
   *
   * @return null if the thread serves no request
   */
  public @Nullable LoginOutcome ofThisThread() {
    HttpServletRequest request = CURRENT.get();
    return request != null && request.getAttribute(RateLimitFilter.VERDICT) instanceof Verdict v
        ? new LoginOutcome(limiter, filter.viewOf(request), v)
        : null;
  }
}
