/** Bounded statistics of decisions: who is denied, by which limit, and whether the limit fits. */
@NullMarked
package dev.sash.server.statistics;

import org.jspecify.annotations.NullMarked;
