/** How the keys of limiters are written. */
@NullMarked
package dev.sash.key;

import org.jspecify.annotations.NullMarked;
