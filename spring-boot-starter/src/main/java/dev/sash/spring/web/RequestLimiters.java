package dev.sash.spring.web;

import dev.sash.http.HttpLimiter;
import org.jspecify.annotations.Nullable;

/**
 * What limits requests, in the order in which requests pass.
 *
 * @param first limits before Spring Security, or where the application says
 * @param afterSecurity limits by user; null if no policy needs that
 */
public record RequestLimiters(HttpLimiter first, @Nullable HttpLimiter afterSecurity) {}
