package dev.sash.server.statistics;

import dev.sash.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A request that was denied.
 *
 * @param timeMillis when, in milliseconds since the epoch
 * @param policy the policy's name
 * @param limit the limit that decided; null if the key or address is on the list of those denied
 * @param key the key, or what stands for it; null if keys are hidden
 * @param permits how many were requested
 * @param used what was charged to the key
 * @param retryAfterMicros the least time until the request fits; {@link Long#MAX_VALUE} if never
 * @param shadow whether the request was admitted all the same, because of shadow mode
 */
public record Denial(
    long timeMillis,
    String policy,
    @Nullable Limit limit,
    @Nullable String key,
    long permits,
    long used,
    long retryAfterMicros,
    boolean shadow) {}
