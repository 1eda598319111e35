/** Comparisons with the peers in an application behind HTTP. */
@NullMarked
package dev.sash.benchmarks.http;

import org.jspecify.annotations.NullMarked;
