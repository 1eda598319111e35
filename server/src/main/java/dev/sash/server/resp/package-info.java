/** The port that speaks RESP, the protocol of Redis clients. */
@NullMarked
package dev.sash.server.resp;

import org.jspecify.annotations.NullMarked;
