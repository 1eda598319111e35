/** Parts of limiters that stores share. Not API. */
@NullMarked
package dev.sash.internal.limiter;

import org.jspecify.annotations.NullMarked;
