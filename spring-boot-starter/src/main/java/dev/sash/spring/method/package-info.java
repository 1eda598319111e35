/** Limits calls of annotated methods. */
@NullMarked
package dev.sash.spring.method;

import org.jspecify.annotations.NullMarked;
