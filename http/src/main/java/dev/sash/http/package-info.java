/**
 * Rate limiting of HTTP requests, for any server: who asks, which policies hold, and what the
 * response says.
 *
 * <p>An adapter shows each request as a {@link dev.sash.http.RequestView}; {@link
 * dev.sash.http.HttpLimiter} answers with a {@link dev.sash.http.Verdict}, whose status, fields and
 * body the adapter copies to the response. {@link dev.sash.http.HttpRule}, {@link
 * dev.sash.http.Charge} and {@link dev.sash.http.KeyExtractor} say what is limited, by which
 * limiter, and for whom; {@link dev.sash.http.TrustedProxies} says whom to believe.
 */
@NullMarked
package dev.sash.http;

import org.jspecify.annotations.NullMarked;
