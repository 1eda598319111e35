package dev.sash.http;

import static dev.sash.http.Answers.allowed;
import static dev.sash.http.Answers.denied;
import static dev.sash.http.Answers.never;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.http.Denial.Reason;
import dev.sash.store.Decisions;
import java.util.List;
import org.junit.jupiter.api.Test;

class DenialBodyTest {
  private static DenialResponse body(
      Reason reason, List<PolicyDecision> decisions, List<String> accept) {
    return new Denial(reason, decisions, new RequestSummary("/", accept)).standard();
  }

  private static final List<PolicyDecision> DENIED = List.of(denied("burst", "100/1m", 29_500_000));

  @Test
  void isAProblemThatProgramsCanRead() {
    DenialResponse body = body(Reason.QUOTA_EXCEEDED, DENIED, List.of());

    assertThat(body.contentType()).isEqualTo("application/problem+json");
    assertThat(body.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Too Many Requests\",\"status\":429,"
                + "\"detail\":\"Limit burst exceeded. Try again in 30 seconds.\","
                + "\"violated-policies\":[\"burst\"],\"retry-after\":30}");
  }

  @Test
  void namesEveryPolicyThatStandsInTheWayAndOnlyThose() {
    List<PolicyDecision> decisions =
        List.of(
            allowed("a", "5/1s", 2, 1),
            denied("b", "10/1m", 500_000),
            denied("c", "10/1m", 900_000));

    assertThat(body(Reason.QUOTA_EXCEEDED, decisions, List.of()).body())
        .contains("\"detail\":\"Limits b, c exceeded. Try again in 1 second.\"")
        .contains("\"violated-policies\":[\"b\",\"c\"],\"retry-after\":1}");
  }

  @Test
  void namesALimitAsTheFieldsDo() {
    Limit second = Limit.parse("5/1s");
    List<Limit> limits = List.of(second, Limit.parse("1000/1h"));
    Decision decision = Decisions.denied(second, 5, 0, 500_000, 700_000, Source.STORE);
    PolicyDecision answer = new PolicyDecision("api", limits, null, "key", 1, decision);

    assertThat(body(Reason.QUOTA_EXCEEDED, List.of(answer), List.of()).body())
        .contains("\"detail\":\"Limit api:5/1s exceeded. Try again in 1 second.\"")
        .contains("\"violated-policies\":[\"api:5/1s\"]");
  }

  @Test
  void doesNotPromiseWhatWillNeverBe() {
    assertThat(body(Reason.QUOTA_EXCEEDED, List.of(never("a", "5/1s")), List.of()).body())
        .contains("Limit a exceeded. The request is larger than the limit ever allows.")
        .doesNotContain("retry-after");
  }

  @Test
  void otherProblemsHaveOtherTypes() {
    assertThat(body(Reason.REDUCED_CAPACITY, DENIED, List.of()).body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types"
                + "#temporary-reduced-capacity\",\"title\":\"Service Unavailable\",\"status\":503,"
                + "\"detail\":\"Try again in 30 seconds.\",\"retry-after\":30}");
    assertThat(body(Reason.FORBIDDEN, List.of(), List.of()).body())
        .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403}");
  }

  @Test
  void isTextOrHtmlForThoseWhoLikeThatBetter() {
    DenialResponse plain = body(Reason.QUOTA_EXCEEDED, DENIED, List.of("text/plain"));
    DenialResponse html = body(Reason.QUOTA_EXCEEDED, DENIED, List.of("text/html"));

    assertThat(plain.contentType()).isEqualTo("text/plain; charset=utf-8");
    assertThat(plain.body())
        .isEqualTo("Too Many Requests\nLimit burst exceeded. Try again in 30 seconds.\n");
    assertThat(html.contentType()).isEqualTo("text/html; charset=utf-8");
    assertThat(html.body())
        .isEqualTo(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Too Many Requests</title></head>
            <body><h1>Too Many Requests</h1><p>Limit burst exceeded. Try again in 30 seconds.</p></body>
            </html>
            """);
  }

  @Test
  void followsTheAcceptField() {
    Tables.rows(
            """
            -                                                       | json
            */*                                                     | json
            application/json                                        | json
            application/problem+json                                | json
            APPLICATION/JSON                                        | json
            application/*                                           | json
            text/html                                               | html
            text/plain                                              | plain
            text/*                                                  | html
            text/html, application/json                             | json
            text/html, application/json;q=0.9                       | html
            text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | html
            text/plain, */*;q=0.1                                   | plain
            text/html;q=0.5, text/plain;q=0.6                       | plain
            text/html;q=0.5, text/plain;q=0.6, application/json;q=0.7 | json
            */*, application/json;q=0, application/problem+json;q=0, text/html;q=0 | plain
            text/html;level=1;q=0.2, text/plain ; q=0.3             | plain
            text/html;q=0.001                                       | html
            text/html;q=0                                           | json
            image/png                                               | json
            text/html;q=2                                           | json
            text/html;q=0.1234                                      | json
            text/html;q=x                                           | json
            text/html;q=1.001                                       | json
            nonsense                                                | json
            /, ;;, text/, */html                                    | json
            """)
        .forEach(
            row -> {
              List<String> accept = row.get(0).isEmpty() ? List.of() : List.of(row.get(0));
              String type = body(Reason.QUOTA_EXCEEDED, DENIED, accept).contentType();
              String expected =
                  switch (row.get(1)) {
                    case "html" -> "text/html; charset=utf-8";
                    case "plain" -> "text/plain; charset=utf-8";
                    default -> "application/problem+json";
                  };
              assertThat(type).as("%s", row).isEqualTo(expected);
            });
  }

  @Test
  void hostileAcceptFieldsDoNotThrow() {
    Hostile draw = new Hostile(Hostile.SEED);
    for (int i = 0; i < 50_000; i++) {
      List<String> accept = List.of(draw.text(), "text/html;q=" + draw.text());
      assertThat(body(Reason.QUOTA_EXCEEDED, DENIED, accept).body())
          .as(Hostile.REPLAY)
          .isNotEmpty();
    }
  }
}
