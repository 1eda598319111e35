/**
 * The store interface, and decorators of one job each that work with any store. {@link
 * dev.sash.store.Store} is the place to start for authors of a store or a decorator; users of a
 * limiter need nothing from this package.
 */
@NullMarked
package dev.sash.store;

import org.jspecify.annotations.NullMarked;
