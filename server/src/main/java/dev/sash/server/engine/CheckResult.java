package dev.sash.server.engine;

import dev.sash.Decision;
import dev.sash.Limit;
import dev.sash.server.override.Effect;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a request.
 *
 * @param allowed whether the request is admitted: what {@code reason} makes of the decision
 * @param reason why
 * @param policy the policy's name
 * @param limits the limits that hold for the request
 * @param key the key of the request; may be personal data, keep it out of logs and metric labels
 * @param permits the requested permits
 * @param decision what the limits decide; if they were not consulted, as if nothing had been spent
 * @param override what an override of the key did to the request; null if none applied
 */
public record CheckResult(
    boolean allowed,
    Reason reason,
    String policy,
    List<Limit> limits,
    String key,
    long permits,
    Decision decision,
    @Nullable Effect override) {}
