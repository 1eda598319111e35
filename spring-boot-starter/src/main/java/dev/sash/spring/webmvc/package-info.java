/** Limits requests of Spring MVC. */
@NullMarked
package dev.sash.spring.webmvc;

import org.jspecify.annotations.NullMarked;
