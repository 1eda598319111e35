/** Comparisons with the peers on a Redis server. */
@NullMarked
package dev.sash.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
