/**
 * Rate limiting of Jakarta Servlet applications: {@link dev.sash.servlet.RateLimitFilter} asks an
 * {@link dev.sash.http.HttpLimiter} about each request.
 */
@NullMarked
package dev.sash.servlet;

import org.jspecify.annotations.NullMarked;
