/** Overrides of policies for single keys, which operators set while the server runs. */
@NullMarked
package dev.sash.server.override;

import org.jspecify.annotations.NullMarked;
