/**
 * Rate limiting of HTTP requests, for any server.
 *
 * <p>An adapter implements {@link dev.sash.http.RequestView}; {@link dev.sash.http.HttpLimiter}
 * returns a {@link dev.sash.http.Verdict}, whose status, fields and body the adapter copies to the
 * response. {@link dev.sash.http.HttpRule}, {@link dev.sash.http.Charge} and {@link
 * dev.sash.http.KeyExtractor} define which requests are limited, by which limiter and under which
 * key; {@link dev.sash.http.TrustedProxies} defines which proxies are trusted.
 */
@NullMarked
package dev.sash.http;

import org.jspecify.annotations.NullMarked;
