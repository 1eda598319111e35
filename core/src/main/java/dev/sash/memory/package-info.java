/** Limiters whose state lives in the heap of this process. */
@NullMarked
package dev.sash.memory;

import org.jspecify.annotations.NullMarked;
