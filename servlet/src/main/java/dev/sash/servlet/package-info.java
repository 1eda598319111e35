/**
 * Rate limiting of Jakarta Servlet applications: {@link dev.sash.servlet.RateLimitFilter} checks
 * each request with an {@link dev.sash.http.HttpLimiter}.
 */
@NullMarked
package dev.sash.servlet;

import org.jspecify.annotations.NullMarked;
