/** The Redis store: limits that many processes share. */
@NullMarked
package dev.sash.redis;

import org.jspecify.annotations.NullMarked;
