/**
 * Rate limiting of Spring Boot applications. Limits are configured under {@code sash.policies};
 * methods ask for them by {@link dev.sash.spring.RateLimit}, code by {@link
 * dev.sash.LimiterRegistry}. Routes of Spring Cloud Gateway are limited by {@code
 * dev.sash.spring.gateway}. The other packages below this one are for Spring, not for applications.
 */
@NullMarked
package dev.sash.spring;

import org.jspecify.annotations.NullMarked;
