/** What the server tells of itself. */
@NullMarked
package dev.sash.server.metrics;

import org.jspecify.annotations.NullMarked;
