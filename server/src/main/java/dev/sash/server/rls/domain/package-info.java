/** Finds the limits of a request's descriptors by domain, and charges them. */
@NullMarked
package dev.sash.server.rls.domain;

import org.jspecify.annotations.NullMarked;
