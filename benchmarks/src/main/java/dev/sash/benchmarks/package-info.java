/** Comparisons with the peers: time, memory and garbage per decision. */
@NullMarked
package dev.sash.benchmarks;

import org.jspecify.annotations.NullMarked;
