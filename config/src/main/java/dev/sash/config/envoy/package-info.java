/** Domains in the form of envoyproxy/ratelimit, and the settings of the service for Envoy. */
@NullMarked
package dev.sash.config.envoy;

import org.jspecify.annotations.NullMarked;
