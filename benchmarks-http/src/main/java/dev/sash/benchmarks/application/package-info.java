/** The application that is asked over HTTP: the same for everybody who limits it. */
@NullMarked
package dev.sash.benchmarks.application;

import org.jspecify.annotations.NullMarked;
