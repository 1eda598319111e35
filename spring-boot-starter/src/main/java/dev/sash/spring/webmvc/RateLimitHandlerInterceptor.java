package dev.sash.spring.webmvc;

import dev.sash.http.HttpLimiter;
import dev.sash.http.Verdict;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.web.HandlerLimits;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Limits handlers that are annotated without a key, once per request. Waits for the decision, for
 * as long as the policy's deadline at most.
 */
public final class RateLimitHandlerInterceptor implements HandlerInterceptor {
  private final HandlerLimits limits;
  private final RateLimitFilter filter;
  private final MvcResponses responses;

  /**
   * An interceptor.
   *
   * @param limits which handlers are limited
   * @param filter reads requests
   * @param responses writes responses
   */
  public RateLimitHandlerInterceptor(
      HandlerLimits limits, RateLimitFilter filter, MvcResponses responses) {
    this.limits = limits;
    this.filter = filter;
    this.responses = responses;
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    HttpLimiter limiter = limiterOf(handler);
    if (limiter == null
        || request.getAttribute(attribute(handler)) != null
        || !applies(handler, request)) {
      return true; // not limited, or dispatched again
    }
    Verdict verdict = limiter.check(filter.viewOf(request)).toCompletableFuture().join();
    request.setAttribute(attribute(handler), verdict);
    if (verdict.allowed()) {
      verdict.decisions().forEach(decision -> responses.tell(request, response, decision));
      return true;
    }
    Optional<RateLimitExceededException> denial = HandlerLimits.denial(verdict);
    if (denial.isPresent()) {
      throw denial.get();
    }
    MvcResponses.answer(response, verdict); // on a list
    return false;
  }

  private boolean applies(Object handler, HttpServletRequest request) {
    return !(handler instanceof HandlerMethod method)
        || limits.apply(method.getMethod(), method.getBeanType(), request::isUserInRole);
  }

  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception failure) {
    if (limiterOf(handler) != null
        && request.getAttribute(attribute(handler)) instanceof Verdict verdict) {
      verdict.settle(failure == null || response.isCommitted() ? response.getStatus() : 500);
    }
  }

  private @Nullable HttpLimiter limiterOf(Object handler) {
    return handler instanceof HandlerMethod method
        ? limits.find(method.getMethod(), method.getBeanType())
        : null;
  }

  private static String attribute(Object handler) {
    return RateLimitHandlerInterceptor.class.getName() + "." + handler;
  }
}
