package dev.sash.server.http.exchange;

import dev.sash.http.FieldStyle;
import dev.sash.http.PolicyDecision;
import dev.sash.http.RateLimitFields;
import dev.sash.server.engine.CheckResult;
import dev.sash.server.engine.Reason;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** The standard header fields of answers. */
public final class ResponseFields {
  private static final RateLimitFields FIELDS =
      new RateLimitFields(Set.of(FieldStyle.RATELIMIT), InstantSource.system());

  private ResponseFields() {}

  /** Where something else than the limits decided, there is nothing true to say about them. */
  public static void write(Exchange exchange, CheckResult answer) {
    if (answer.reason() != Reason.LIMIT) {
      return;
    }
    FIELDS.write(decision(answer), exchange::header);
  }

  /** The same for a request under several policies. */
  public static void write(Exchange exchange, List<CheckResult> answers) {
    if (answers.size() == 1) {
      write(exchange, answers.get(0));
      return;
    }
    List<PolicyDecision> byLimits =
        answers.stream()
            .filter(answer -> answer.reason() == Reason.LIMIT)
            .map(ResponseFields::decision)
            .toList();
    FIELDS.write(byLimits).forEach(exchange::header);
  }

  /** Returns the seconds to wait until all of them would be allowed. */
  public static long retryAfterSeconds(List<CheckResult> answers) {
    return RateLimitFields.retryAfterSeconds(
        answers.stream().map(ResponseFields::decision).toList());
  }

  private static PolicyDecision decision(CheckResult answer) {
    return new PolicyDecision(
        answer.policy(), answer.limits(), null, answer.key(), answer.permits(), answer.decision());
  }
}
