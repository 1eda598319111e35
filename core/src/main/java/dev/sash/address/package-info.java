/** IP addresses and networks, read from text without ever looking up a name. */
@NullMarked
package dev.sash.address;

import org.jspecify.annotations.NullMarked;
