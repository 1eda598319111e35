/** The part of the API with which operators set overrides. */
@NullMarked
package dev.sash.server.http.override;

import org.jspecify.annotations.NullMarked;
