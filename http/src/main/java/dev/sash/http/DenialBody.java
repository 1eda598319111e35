package dev.sash.http;

import dev.sash.http.internal.AcceptField;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes the body of the response to a denied request: a problem (RFC 9457), or the same in plain
 * text or HTML if the client prefers that.
 */
final class DenialBody {
  /** The members of a problem that an application may set. */
  record Problem(int status, String type, String title) {}

  private DenialBody() {}

  static DenialResponse of(Denial denial, Problem problem, List<String> accept) {
    AcceptField accepted = new AcceptField(accept);
    int json =
        Math.max(
            accepted.weightOf("application", "problem+json"),
            accepted.weightOf("application", "json"));
    int html = accepted.weightOf("text", "html");
    int plain = accepted.weightOf("text", "plain");
    String detail = denial.detail();
    if (html > json && html >= plain) {
      return new DenialResponse(problem.status, "text/html; charset=utf-8", html(problem, detail));
    }
    if (plain > json) {
      return new DenialResponse(
          problem.status,
          "text/plain; charset=utf-8",
          problem.title + "\n" + detail + (detail.isEmpty() ? "" : "\n"));
    }
    return new DenialResponse(
        problem.status, "application/problem+json", json(problem, detail, denial));
  }

  static String detail(Denial denial) {
    long seconds = denial.retryAfterSeconds();
    String wait = "Try again in " + (seconds == 1 ? "1 second." : seconds + " seconds.");
    return switch (denial.reason()) {
      case FORBIDDEN -> "";
      case REDUCED_CAPACITY -> wait;
      case QUOTA_EXCEEDED -> {
        List<String> violated = denial.violated();
        boolean never =
            denial.decisions().stream().anyMatch(answer -> answer.decision().neverAllowed());
        yield (violated.size() == 1 ? "Limit " : "Limits ")
            + String.join(", ", violated)
            + " exceeded. "
            + (never ? "The request is larger than the limit ever allows." : wait);
      }
    };
  }

  // Only the type and the title can hold characters that need escaping.

  private static String json(Problem problem, String detail, Denial denial) {
    StringBuilder json =
        new StringBuilder("{\"type\":\"")
            .append(escapedInJson(problem.type))
            .append("\",\"title\":\"")
            .append(escapedInJson(problem.title))
            .append("\",\"status\":")
            .append(problem.status);
    if (!detail.isEmpty()) {
      json.append(",\"detail\":\"").append(detail).append('"');
    }
    if (denial.reason() == Denial.Reason.QUOTA_EXCEEDED) {
      json.append(",\"violated-policies\":")
          .append(
              denial.violated().stream()
                  .map(name -> '"' + name + '"')
                  .collect(Collectors.joining(",", "[", "]")));
    }
    long seconds = denial.retryAfterSeconds();
    if (seconds > 0) {
      json.append(",\"retry-after\":").append(seconds);
    }
    return json.append('}').toString();
  }

  private static String escapedInJson(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        escaped.append('\\').append(c);
      } else if (c < ' ') {
        escaped.append("\\u%04x".formatted((int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static String html(Problem problem, String detail) {
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head><meta charset="utf-8"><title>%1$s</title></head>
    <body><h1>%1$s</h1>%2$s</body>
    </html>
    """
        .formatted(
            problem.title.replace("&", "&amp;").replace("<", "&lt;"),
            detail.isEmpty() ? "" : "<p>" + detail + "</p>");
  }
}
