package dev.sash.http;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one policy said about a request.
 *
 * @param policy the policy's name
 * @param limits the policy's limits for this key
 * @param unit what a permit is; null for a request
 * @param key who asked; may be personal data, keep it out of logs and metric labels
 * @param permits what was asked for
 * @param decision the answer. If another policy denied the request, that of a policy with room is
 *     its state once everything was given back
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

  /** How fields and bodies call the limit that decided. */
  String name() {
    return nameOf(decision.decidedBy());
  }

  /**
   * How fields and bodies call a limit: the policy's name, and with several limits what tells them
   * apart. Holds no character that would have to be escaped anywhere.
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
    return policy; // changed since
  }

  /** {@code 5/1s} of {@code 5/1s sliding-log}. */
  private static String rate(Limit limit) {
    String shorthand = limit.toString();
    return shorthand.substring(0, shorthand.indexOf(' '));
  }
}
