/** {@code ./sash bench server}: the service beside its peers, over loopback. */
@NullMarked
package dev.sash.benchmarks.server;

import org.jspecify.annotations.NullMarked;
