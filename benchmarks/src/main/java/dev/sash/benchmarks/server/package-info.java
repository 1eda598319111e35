/** {@code ./sash bench server}: the service beside its peers, asked over loopback. */
@NullMarked
package dev.sash.benchmarks.server;

import org.jspecify.annotations.NullMarked;
