/** Bounds what clients use, and decides who may do what. */
@NullMarked
package dev.sash.server.http.guard;

import org.jspecify.annotations.NullMarked;
