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
}
