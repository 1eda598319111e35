package dev.sash.spring.gateway.mvc;

import dev.sash.http.HttpLimiter;
import dev.sash.http.RequestView;
import dev.sash.http.Verdict;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.method.RequestReport;
import dev.sash.spring.method.RequestReports;
import dev.sash.spring.web.HandlerLimits;
import dev.sash.spring.web.WebLimits;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Makes the filters of an application's routes; a bean. Thread-safe. */
public final class RouteLimits {
  private static final long MAX_PERMITS = 1_000_000_000L;

  private final @Nullable WebLimits limits;
  private final @Nullable RequestReports reports;
  private final Map<Named, HandlerFilterFunction<ServerResponse, ServerResponse>> filters =
      new ConcurrentHashMap<>();

  private record Named(String policy, long permits) {}

  /**
   * Creates the bean.
   *
   * @param limits makes limiters; null if requests are not limited
   * @param reports writes decisions to responses; null if requests are not limited
   */
  RouteLimits(@Nullable WebLimits limits, @Nullable RequestReports reports) {
    this.limits = limits;
    this.reports = reports;
  }

  /**
   * Returns a filter that limits requests by a policy and the policy's own key.
   *
   * @param policy the name of a policy under {@code sash.policies}, or of a policy bean
   * @param permits the cost of a request, 1 to 10⁹
   * @return the filter
   * @throws IllegalArgumentException if there is no such policy, or the permits are out of bounds
   */
  public HandlerFilterFunction<ServerResponse, ServerResponse> rateLimit(
      String policy, long permits) {
    checkPermits(permits);
    return filters.computeIfAbsent(new Named(policy, permits), this::filter);
  }

  static void checkPermits(long permits) {
    if (permits < 1 || permits > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be between 1 and " + MAX_PERMITS + ", was " + permits);
    }
  }

  private HandlerFilterFunction<ServerResponse, ServerResponse> filter(Named named) {
    if (limits == null || reports == null) {
      return (request, next) -> next.handle(request);
    }
    HttpLimiter limiter = limits.forHandler(named.policy(), named.permits());
    RateLimitFilter views = RateLimitFilter.builder(limiter).route(RouteLimits::routeOf).build();
    RequestReports written = reports;
    return (request, next) ->
        limit(limiter, views.viewOf(request.servletRequest()), written, request, next);
  }

  private static ServerResponse limit(
      HttpLimiter limiter,
      RequestView view,
      RequestReports reports,
      ServerRequest request,
      HandlerFunction<ServerResponse> next)
      throws Exception {
    Verdict verdict = limiter.check(view).toCompletableFuture().join();
    if (!verdict.allowed()) {
      return denied(verdict);
    }
    RequestReport report = reports.ofThisThread();
    if (report != null) {
      verdict.decisions().forEach(report::tell);
    }
    int status = 500;
    try {
      ServerResponse response = next.handle(request);
      status = response.statusCode().value();
      return response;
    } finally {
      verdict.settle(status);
    }
  }

  /** An exception, so that what the filter charged before is refunded. */
  private static ServerResponse denied(Verdict verdict) {
    Optional<RateLimitExceededException> denial = HandlerLimits.denial(verdict);
    if (denial.isPresent()) {
      throw denial.get();
    }
    return ServerResponse.status(verdict.status())
        .headers(headers -> verdict.headers().forEach(headers::set))
        .body(verdict.body()); // on a list
  }

  private static @Nullable String routeOf(HttpServletRequest request) {
    return request.getAttribute(MvcUtils.GATEWAY_ROUTE_ID_ATTR) instanceof String id ? id : null;
  }
}
