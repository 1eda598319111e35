/** Limits requests of Spring WebFlux. Nothing here blocks. */
@NullMarked
package dev.sash.spring.webflux;

import org.jspecify.annotations.NullMarked;
