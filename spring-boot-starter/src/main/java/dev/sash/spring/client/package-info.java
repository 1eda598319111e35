/** Limits for the calls that Spring's HTTP clients make to other services. */
@NullMarked
package dev.sash.spring.client;

import org.jspecify.annotations.NullMarked;
