/** Shared by the stores of Sash; not part of its API, may change in any release. */
@NullMarked
package dev.sash.internal;

import org.jspecify.annotations.NullMarked;
