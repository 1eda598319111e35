package dev.sash.http;

import dev.sash.http.internal.AcceptField;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The body of the response to a denied request: a problem (RFC 9457), or the same in plain text or
 * HTML if the client prefers that.
 *
 * @param contentType the media type
 * @param text the content
 */
record DenialBody(String contentType, String text) {
  private static final String PROBLEMS = "https://iana.org/assignments/http-problem-types#";

  /** Why the request was denied. */
  enum Problem {
    QUOTA_EXCEEDED(429, PROBLEMS + "quota-exceeded", "Too Many Requests"),
    REDUCED_CAPACITY(503, PROBLEMS + "temporary-reduced-capacity", "Service Unavailable"),
    FORBIDDEN(403, "about:blank", "Forbidden");

    final int status;
    private final String type;
    private final String title;

    Problem(int status, String type, String title) {
      this.status = status;
      this.type = type;
      this.title = title;
    }
  }

  static DenialBody of(Problem problem, List<PolicyDecision> decisions, List<String> accept) {
    List<String> violated =
        decisions.stream()
            .filter(answer -> !answer.decision().allowed())
            .map(PolicyDecision::name)
            .distinct()
            .toList();
    boolean never = decisions.stream().anyMatch(answer -> answer.decision().neverAllowed());
    long seconds = RateLimitFields.retryAfterSeconds(decisions);
    String detail = detail(problem, violated, never, seconds);

    AcceptField accepted = new AcceptField(accept);
    int json =
        Math.max(
            accepted.weightOf("application", "problem+json"),
            accepted.weightOf("application", "json"));
    int html = accepted.weightOf("text", "html");
    int plain = accepted.weightOf("text", "plain");
    if (html > json && html >= plain) {
      return new DenialBody("text/html; charset=utf-8", html(problem, detail));
    }
    if (plain > json) {
      return new DenialBody(
          "text/plain; charset=utf-8",
          problem.title + "\n" + detail + (detail.isEmpty() ? "" : "\n"));
    }
    return new DenialBody("application/problem+json", json(problem, detail, violated, seconds));
  }

  private static String detail(
      Problem problem, List<String> violated, boolean never, long seconds) {
    String wait = "Try again in " + (seconds == 1 ? "1 second." : seconds + " seconds.");
    return switch (problem) {
      case FORBIDDEN -> "";
      case REDUCED_CAPACITY -> wait;
      case QUOTA_EXCEEDED ->
          (violated.size() == 1 ? "Limit " : "Limits ")
              + String.join(", ", violated)
              + " exceeded. "
              + (never ? "The request is larger than the limit ever allows." : wait);
    };
  }

  // The texts consist of fixed words, numbers and policy names: nothing needs escaping in JSON or
  // HTML.

  private static String json(Problem problem, String detail, List<String> violated, long seconds) {
    StringBuilder json =
        new StringBuilder("{\"type\":\"")
            .append(problem.type)
            .append("\",\"title\":\"")
            .append(problem.title)
            .append("\",\"status\":")
            .append(problem.status);
    if (!detail.isEmpty()) {
      json.append(",\"detail\":\"").append(detail).append('"');
    }
    if (problem == Problem.QUOTA_EXCEEDED) {
      json.append(",\"violated-policies\":")
          .append(
              violated.stream()
                  .map(name -> '"' + name + '"')
                  .collect(Collectors.joining(",", "[", "]")));
    }
    if (seconds > 0) {
      json.append(",\"retry-after\":").append(seconds);
    }
    return json.append('}').toString();
  }

  private static String html(Problem problem, String detail) {
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head><meta charset="utf-8"><title>%1$s</title></head>
    <body><h1>%1$s</h1>%2$s</body>
    </html>
    """
        .formatted(problem.title, detail.isEmpty() ? "" : "<p>" + detail + "</p>");
  }
}
