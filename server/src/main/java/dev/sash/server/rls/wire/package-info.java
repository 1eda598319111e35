/** The messages of Envoy's rate limit service, version 3, and how they are read and written. */
@NullMarked
package dev.sash.server.rls.wire;

import org.jspecify.annotations.NullMarked;
