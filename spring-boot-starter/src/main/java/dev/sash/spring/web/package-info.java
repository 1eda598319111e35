/** From properties to what limits requests, whichever web framework receives them. */
@NullMarked
package dev.sash.spring.web;

import org.jspecify.annotations.NullMarked;
