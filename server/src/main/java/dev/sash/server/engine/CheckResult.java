package dev.sash.server.engine;

import dev.sash.Decision;
import dev.sash.Limit;
import java.util.List;

/**
 * The answer to a request.
 *
 * @param allowed whether the request is admitted: what {@code reason} makes of the decision
 * @param reason why
 * @param policy the policy's name
 * @param limits the limits that hold for the request
 * @param key who asked; may be personal data, keep it out of logs and metric labels
 * @param permits what was asked for
 * @param decision what the limits say; where they were not asked, as if nothing had been spent
 */
public record CheckResult(
    boolean allowed,
    Reason reason,
    String policy,
    List<Limit> limits,
    String key,
    long permits,
    Decision decision) {}
