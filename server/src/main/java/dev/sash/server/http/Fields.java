package dev.sash.server.http;

import dev.sash.http.FieldStyle;
import dev.sash.http.PolicyDecision;
import dev.sash.http.RateLimitFields;
import dev.sash.server.engine.Answer;
import dev.sash.server.engine.Reason;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** The standard header fields of answers. */
final class Fields {
  private static final RateLimitFields FIELDS =
      new RateLimitFields(Set.of(FieldStyle.RATELIMIT), InstantSource.system());

  private Fields() {}

  /** Where something else than the limits decided, there is nothing true to say about them. */
  static void write(Exchange exchange, Answer answer) {
    if (answer.reason() != Reason.LIMIT) {
      return;
    }
    FIELDS.write(decision(answer), exchange::header);
  }

  static long retryAfterSeconds(Answer answer) {
    return RateLimitFields.retryAfterSeconds(List.of(decision(answer)));
  }

  private static PolicyDecision decision(Answer answer) {
    return new PolicyDecision(
        answer.policy(), answer.limits(), null, answer.key(), answer.permits(), answer.decision());
  }
}
