/** Limits for those who run the application: an endpoint and a health indicator. */
@NullMarked
package dev.sash.spring.actuate;

import org.jspecify.annotations.NullMarked;
