/** Limits routes of Spring Cloud Gateway Server WebMVC. */
@NullMarked
package dev.sash.spring.gateway.mvc;

import org.jspecify.annotations.NullMarked;
