/** Decides requests of any protocol by the current configuration. */
@NullMarked
package dev.sash.server.engine;

import org.jspecify.annotations.NullMarked;
