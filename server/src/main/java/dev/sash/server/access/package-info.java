/** Secrets of operators and clients, and the rights that they grant. */
@NullMarked
package dev.sash.server.access;

import org.jspecify.annotations.NullMarked;
