/**
 * Envoy's rate limit service, version 3, over gRPC: its port, and what gRPC clients expect beside
 * it, health and reflection.
 */
@NullMarked
package dev.sash.server.rls;

import org.jspecify.annotations.NullMarked;
