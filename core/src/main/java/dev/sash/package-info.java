/**
 * Sliding-window rate limiting: may this key spend n permits now, and if not, when?
 *
 * <p>{@link dev.sash.Sash} makes limiters, {@link dev.sash.RateLimiter} asks them, {@link
 * dev.sash.Decision} is the answer, and {@link dev.sash.Limit} and {@link dev.sash.Policy} say what
 * is allowed.
 */
@NullMarked
package dev.sash;

import org.jspecify.annotations.NullMarked;
