/** RESP on the wire: reads requests and writes replies. */
@NullMarked
package dev.sash.server.resp.codec;

import org.jspecify.annotations.NullMarked;
