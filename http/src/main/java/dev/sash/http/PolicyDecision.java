package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one policy on a request.
 *
 * @param policy the policy's name
 * @param limits the policy's limits for this key
 * @param unit what a permit is; null for a request
 * @param key the key; may be personal data, keep it out of logs and metric labels
 * @param permits the number of permits requested
 * @param decision the decision. If another policy denied the request, that of a policy with room is
 *     its state after the refund
 */
public record PolicyDecision(
    String policy,
    List<Limit> limits,
    @Nullable String unit,
    String key,
    long permits,
    Decision decision) {
  /** Copies the limits. */
  public PolicyDecision {
    limits = List.copyOf(limits);
  }

  /** Returns the name of the limit that decided, for fields and bodies. */
  String name() {
    return nameOf(decision.decidedBy());
  }

  /**
   * Returns the name of a limit, for fields and bodies: the policy's name, and with several limits
   * what distinguishes them. Contains no character that needs escaping.
   */
  String nameOf(Limit limit) {
    if (limits.size() == 1) {
      return policy;
    }
    for (Limit candidate : limits) {
      // A local share of the limit has other permits and the same state.
      if (candidate.sharesStateWith(limit)) {
        boolean isUnique =
            limits.stream().filter(l -> rate(l).equals(rate(candidate))).count() == 1;
        return policy + ":" + (isUnique ? rate(candidate) : candidate);
      }
    }
    return policy; // the limits have changed
  }

  /** {@code 5/1s} of {@code 5/1s sliding-log}. */
  private static String rate(Limit limit) {
    String shorthand = limit.toString();
    return shorthand.substring(0, shorthand.indexOf(' '));
  }
}
