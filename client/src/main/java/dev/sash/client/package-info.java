/**
 * Limits for calls to other services.
 *
 * <p>{@link dev.sash.client.OutgoingLimiter} limits the calls to each origin, and does not call an
 * origin before the time that its responses name. {@link dev.sash.client.OutgoingLimiter#limiting}
 * wraps a {@link java.net.http.HttpClient} with it.
 */
@NullMarked
package dev.sash.client;

import org.jspecify.annotations.NullMarked;
