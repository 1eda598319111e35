/** A request and its response: JSON, header fields, and refusals as problems. */
@NullMarked
package dev.sash.server.http.exchange;

import org.jspecify.annotations.NullMarked;
