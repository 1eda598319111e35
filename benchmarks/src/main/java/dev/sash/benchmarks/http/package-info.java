/** Comparisons with the peers in an application that is asked over HTTP. */
@NullMarked
package dev.sash.benchmarks.http;

import org.jspecify.annotations.NullMarked;
