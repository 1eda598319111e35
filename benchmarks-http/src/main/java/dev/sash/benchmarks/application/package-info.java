/** The application behind HTTP: the same for each contender. */
@NullMarked
package dev.sash.benchmarks.application;

import org.jspecify.annotations.NullMarked;
