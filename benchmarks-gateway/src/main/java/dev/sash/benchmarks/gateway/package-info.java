/** The gateway behind HTTP: the same for each contender. */
@NullMarked
package dev.sash.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
