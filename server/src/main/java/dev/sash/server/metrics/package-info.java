/** Meters of the server. */
@NullMarked
package dev.sash.server.metrics;

import org.jspecify.annotations.NullMarked;
