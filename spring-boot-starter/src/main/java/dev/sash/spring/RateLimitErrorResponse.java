package dev.sash.spring;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.http.Denial;
import dev.sash.http.FieldStyle;
import dev.sash.http.PolicyDecision;
import dev.sash.http.RateLimitFields;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/** Thrown in web applications: contains the response to the client. */
final class RateLimitErrorResponse extends RateLimitExceededException implements ErrorResponse {
  private static final long serialVersionUID = 1L;
  private static final RateLimitFields FIELDS =
      new RateLimitFields(Set.of(FieldStyle.RATELIMIT), InstantSource.system());

  private final transient List<PolicyDecision> decisions;

  RateLimitErrorResponse(String policy, List<Limit> limits, Decision decision) {
    super(policy, limits, decision);
    this.decisions = List.of(new PolicyDecision(policy, limits, null, "", 0, decision));
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return HttpStatusCode.valueOf(Denial.of(decisions).reason().status());
  }

  @Override
  public HttpHeaders getHeaders() {
    HttpHeaders headers = new HttpHeaders();
    FIELDS.write(decisions).forEach(headers::set);
    headers.setCacheControl("no-store");
    return headers;
  }

  @Override
  public ProblemDetail getBody() {
    Denial denial = Denial.of(decisions);
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(getStatusCode(), denial.detail());
    problem.setType(URI.create(denial.reason().type()));
    problem.setTitle(denial.reason().title());
    problem.setProperty("violated-policies", denial.violated());
    if (denial.retryAfterSeconds() > 0) {
      problem.setProperty("retry-after", denial.retryAfterSeconds());
    }
    return problem;
  }
}
