/** Decisions and the latency of stores as Micrometer meters and observations. */
@NullMarked
package dev.sash.micrometer;

import org.jspecify.annotations.NullMarked;
