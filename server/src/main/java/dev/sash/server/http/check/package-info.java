/** Check, peek and refund: their requests in JSON, and their results. */
@NullMarked
package dev.sash.server.http.check;

import org.jspecify.annotations.NullMarked;
