/** Decides what is asked over any protocol, by the configuration in force. */
@NullMarked
package dev.sash.server.engine;

import org.jspecify.annotations.NullMarked;
