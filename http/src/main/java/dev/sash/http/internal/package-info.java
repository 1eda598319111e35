/** Parsers for paths, header fields and cookies; not part of the API, may change in any release. */
@NullMarked
package dev.sash.http.internal;

import org.jspecify.annotations.NullMarked;
