/**
 * Limits routes of Spring Cloud Gateway: {@link dev.sash.spring.gateway.SashGatewayRateLimiter} for
 * its filter {@code RequestRateLimiter}, and the filter {@code SashRateLimit}.
 */
@NullMarked
package dev.sash.spring.gateway;

import org.jspecify.annotations.NullMarked;
