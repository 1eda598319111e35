package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Decision.Source;
import dev.sash.Limit;
import dev.sash.store.Decisions;
import java.util.List;

/** Decisions made up for tests of what is said about them. */
final class Answers {
  private Answers() {}

  static PolicyDecision allowed(String policy, String limit, long remaining, long resetMicros) {
    Limit parsed = Limit.parse(limit);
    return answer(
        policy,
        parsed,
        Decisions.allowed(
            parsed, parsed.capacity() - remaining, remaining, resetMicros, Source.STORE));
  }

  static PolicyDecision denied(String policy, String limit, long retryMicros) {
    Limit parsed = Limit.parse(limit);
    return answer(
        policy,
        parsed,
        Decisions.denied(
            parsed, parsed.capacity(), 0, retryMicros, retryMicros + 1_000_000, Source.STORE));
  }

  static PolicyDecision never(String policy, String limit) {
    Limit parsed = Limit.parse(limit);
    return answer(
        policy, parsed, Decisions.neverAllowed(parsed, 0, parsed.capacity(), 0, Source.STORE));
  }

  static PolicyDecision answer(String policy, Limit limit, Decision decision) {
    return new PolicyDecision(policy, List.of(limit), null, "key", 1, decision);
  }
}
