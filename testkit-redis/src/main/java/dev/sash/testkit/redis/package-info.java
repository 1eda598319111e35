/**
 * Real Redis servers for tests: one alone, a master watched by sentinels, a cluster, and a proxy
 * that spoils the connection to any of them.
 *
 * <p>Everything runs on the loopback address, on free ports, in temporary directories, and is gone
 * when it is closed or when the JVM ends. Pausing needs a POSIX shell.
 */
@NullMarked
package dev.sash.testkit.redis;

import org.jspecify.annotations.NullMarked;
