/** IP addresses and networks, read from text without ever asking a name server. */
@NullMarked
package dev.sash.address;

import org.jspecify.annotations.NullMarked;
