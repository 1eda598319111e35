package dev.sash.spring.webmvc;

import dev.sash.http.HttpLimiter;
import dev.sash.http.PolicyDecision;
import dev.sash.http.Verdict;
import dev.sash.servlet.RateLimitFilter;
import dev.sash.spring.RateLimitExceededException;
import dev.sash.spring.method.RequestReport;
import dev.sash.spring.method.RequestReports;
import dev.sash.spring.web.RequestDecisions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Writes decisions that are made behind the filter to responses, in the filter's words. */
public final class MvcResponses implements RequestReports {
  private final HttpLimiter limiter;
  private final RateLimitFilter filter;

  /**
   * A writer.
   *
   * @param limiter knows the fields
   * @param filter reads requests
   */
  public MvcResponses(HttpLimiter limiter, RateLimitFilter filter) {
    this.limiter = limiter;
    this.filter = filter;
  }

  @Override
  public @Nullable RequestReport ofThisThread() {
    if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
        && attributes.getResponse() != null) {
      HttpServletRequest request = attributes.getRequest();
      HttpServletResponse response = attributes.getResponse();
      return decision -> tell(request, response, decision);
    }
    return null;
  }

  void tell(HttpServletRequest request, HttpServletResponse response, PolicyDecision decision) {
    var all = decisionsOf(request).with(decision);
    limiter.report(filter.viewOf(request), all).headers().forEach(response::setHeader);
  }

  /** Answers a request that ends with a denial. */
  void answer(
      HttpServletRequest request, HttpServletResponse response, RateLimitExceededException denial)
      throws IOException {
    var all = decisionsOf(request).endedBy(denial);
    answer(response, limiter.report(filter.viewOf(request), all));
  }

  static void answer(HttpServletResponse response, Verdict verdict) throws IOException {
    byte[] body = verdict.body().getBytes(StandardCharsets.UTF_8);
    response.setStatus(verdict.status());
    verdict.headers().forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private static RequestDecisions decisionsOf(HttpServletRequest request) {
    if (request.getAttribute(RequestDecisions.ATTRIBUTE) instanceof RequestDecisions known) {
      return known;
    }
    RequestDecisions decisions =
        new RequestDecisions((Verdict) request.getAttribute(RateLimitFilter.VERDICT));
    request.setAttribute(RequestDecisions.ATTRIBUTE, decisions);
    return decisions;
  }
}
