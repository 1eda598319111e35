/**
 * YAML as settings that know their place in the file; not part of the API, may change in any
 * release.
 */
@NullMarked
package dev.sash.config.internal;

import org.jspecify.annotations.NullMarked;
